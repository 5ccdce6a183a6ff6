/// The page's style sheet.
enum ReportStyle {
  /// Light and dark by what the reader's system says; lines differ by dash as well as by colour.
  static let sheet = """
    :root { color-scheme: light dark; --ground: #fff; --ink: #1b1f24; --soft: #57606a; --rule: #d8dee4; --card: #f6f8fa;
      --good: #116329; --bad: #b3261e; --odd: #7d4e00; --c0: #0550ae; --c1: #bc4c00; --c2: #116329; --c3: #8250df;
      --c4: #b3261e; --c5: #57606a; }
    @media (prefers-color-scheme: dark) { :root { --ground: #0d1117; --ink: #e6edf3; --soft: #9ea7b3; --rule: #30363d;
      --card: #161b22; --good: #56d364; --bad: #ff8e85; --odd: #e3b341; --c0: #79c0ff; --c1: #ffa657; --c2: #7ee787;
      --c3: #d2a8ff; --c4: #ff8e85; --c5: #9ea7b3; } }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
    main { max-width: 76rem; margin: 0 auto; padding: 1rem; }
    h1 { margin: 0; font-size: 1.6rem; } h2 { margin: 0 0 .25rem; font-size: 1.25rem; }
    section { margin: 2rem 0 0; padding-top: 1.25rem; border-top: 1px solid var(--rule); }
    p { margin: .4rem 0; } small { color: var(--soft); }
    a { color: var(--c0); } :focus-visible { outline: 3px solid var(--c0); outline-offset: 2px; }
    .verdict { font-size: 1.15rem; } .summary { margin: .3rem 0; padding-left: 1.2rem; overflow-wrap: anywhere; }
    .mark { font-size: .8em; font-weight: 600; white-space: nowrap; }
    .good { color: var(--good); } .bad { color: var(--bad); } .odd { color: var(--odd); }
    .note { padding: .4rem .75rem; background: var(--card); border-left: 4px solid currentColor; overflow-wrap: anywhere; }
    dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr)); gap: .4rem 1.5rem; margin: 1rem 0;
      padding: .75rem 1rem; background: var(--card); border-radius: 8px; }
    dt { color: var(--soft); font-size: .8rem; } dd { margin: 0; overflow-wrap: anywhere; }
    nav ul { display: flex; flex-wrap: wrap; gap: .4rem 1.25rem; margin: 0; padding: 0; list-style: none; }
    nav a { display: inline-block; padding: .3rem 0; }
    .wide { overflow-x: auto; margin: .75rem 0; }
    table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .92rem; }
    th, td { padding: .3rem .9rem .3rem 0; border-bottom: 1px solid var(--rule); text-align: left; white-space: nowrap; }
    thead th { color: var(--soft); font-size: .8rem; } tbody th { font-weight: 400; }
    .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1.25rem; }
    figure { margin: 0; padding: .75rem; background: var(--card); border-radius: 8px; min-width: 0; }
    figcaption { font-weight: 600; margin-bottom: .4rem; overflow-wrap: anywhere; }
    figure > svg { display: block; width: 100%; height: auto; } svg text { fill: var(--soft); font-size: 11px; }
    svg path, svg circle { fill: none; stroke-width: 1.6; stroke-linejoin: round; }
    svg .grid { stroke: var(--rule); stroke-width: 1; } svg circle { stroke-width: 3; }
    .line0 { stroke: var(--c0); } .line1 { stroke: var(--c1); stroke-dasharray: 6 3; }
    .line2 { stroke: var(--c2); stroke-dasharray: 2 2; } .line3 { stroke: var(--c3); stroke-dasharray: 8 2 2 2; }
    .line4 { stroke: var(--c4); stroke-dasharray: 10 4; } .line5 { stroke: var(--c5); stroke-dasharray: 1 3; }
    .legend { margin: .4rem 0 0; padding: 0; list-style: none; font-size: .85rem; }
    .legend svg { width: 24px; height: 8px; margin-right: .5rem; vertical-align: middle; }
    @media print { .charts, table { break-inside: avoid; } }
    """
}

/// The page's style: system fonts, dark and light by the reader's choice, one column on a phone.
enum PageStyle {
  static let text = """

    :root { color-scheme: light dark; --back: #f6f7f9; --card: #ffffff; --text: #16202c; --soft: #5a6675;
      --edge: #d9dee5; --accent: #1c63c9; --good: #18794e; --bad: #b3261e; --warm: #92600a; --on: #ffffff; }
    @media (prefers-color-scheme: dark) {
      :root { --back: #0f141a; --card: #182029; --text: #e7ecf2; --soft: #9aa7b6; --edge: #2b3643;
        --accent: #7ab1ff; --good: #5fcf9a; --bad: #ff8f85; --warm: #f0bb62; --on: #0f141a; }
    }
    * { box-sizing: border-box; }
    [hidden] { display: none !important; }
    body { margin: 0; background: var(--back); color: var(--text);
      font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
    header, main, footer { max-width: 64rem; margin: 0 auto; padding: 0 1rem; }
    header { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: center; padding-top: 1.25rem; }
    header p { margin: 0; }
    #forget { margin-left: auto; }
    main:focus { outline: none; }
    footer { padding-top: .5rem; padding-bottom: 2rem; }
    h1 { font-size: 1.25rem; margin: 0; letter-spacing: -.01em; }
    h2 { font-size: 1rem; margin: 0 0 .75rem; }
    h2 .quiet { font-weight: normal; }
    section { background: var(--card); border: 1px solid var(--edge); border-radius: 12px; padding: 1rem;
      margin: 1rem 0; }
    a { color: var(--accent); }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
    .skip { position: absolute; left: -99rem; }
    .skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .25rem .5rem; }
    .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
    .quiet { color: var(--soft); font-size: .85rem; }
    .badge { font-size: .8rem; font-weight: 600; padding: .1rem .6rem; border-radius: 99px; border: 1px solid; }
    .good { color: var(--good); }
    .bad { color: var(--bad); }
    .warm { color: var(--warm); }
    .tiles { display: grid; grid-template-columns: repeat(6, 1fr); gap: 1rem; margin: 0; }
    @media (max-width: 64rem) { .tiles { grid-template-columns: repeat(3, 1fr); } }
    .tiles dt { color: var(--soft); font-size: .85rem; }
    .tiles dd { margin: 0; font-variant-numeric: tabular-nums; }
    .tiles dt + dd { font-size: 1.35rem; font-weight: 600; letter-spacing: -.02em; white-space: nowrap; }
    .tiles .quiet { white-space: pre-line; }
    .chart svg { display: block; width: 100%; height: 28px; }
    .chart path { fill: none; stroke: var(--accent); stroke-width: 1.5; vector-effect: non-scaling-stroke; }
    .fill { display: grid; grid-template-columns: 4.5rem 1fr; gap: 0 .75rem; align-items: center; margin: .5rem 0; }
    .fill .quiet { grid-column: 2; }
    .bar { height: .6rem; border-radius: 99px; background: var(--edge); overflow: hidden; }
    .bar i { display: block; height: 100%; width: 0; min-width: 2px; background: var(--accent); }
    label { display: block; font-size: .85rem; color: var(--soft); margin-bottom: .25rem; }
    .check { margin: .5rem 0 0; }
    .check input { vertical-align: -.15em; }
    .row { display: flex; flex-wrap: wrap; gap: .5rem; }
    input[type=url], input[type=password] { flex: 1 1 14rem; min-width: 0; }
    input[type=url], input[type=password], select, button { font: inherit; color: inherit; background: var(--back);
      border: 1px solid var(--edge); border-radius: 8px; padding: .45rem .7rem; min-height: 2.6rem; }
    button { background: var(--accent); border-color: var(--accent); color: var(--on); font-weight: 600;
      cursor: pointer; }
    button.plain { background: none; color: var(--accent); border-color: var(--edge); font-weight: normal;
      min-height: 0; padding: .2rem .6rem; }
    button:disabled { opacity: .6; cursor: progress; }
    .scroll { overflow-x: auto; }
    table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
    th, td { text-align: left; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--edge);
      white-space: nowrap; }
    th { color: var(--soft); font-weight: normal; font-size: .85rem; }
    tbody tr:last-child td { border-bottom: 0; }
    .number { text-align: right; }
    code, .mono { font: .85em/1.5 ui-monospace, SFMono-Regular, Menlo, "DejaVu Sans Mono", monospace;
      overflow-wrap: anywhere; }
    #result:not(:empty) { margin-top: 1rem; }
    .verdict { display: flex; gap: 1rem; align-items: center; margin-bottom: 1rem; }
    .verdict p { margin: 0; }
    .face { flex: none; width: 96px; height: 96px; border-radius: 50%; border: 1px solid var(--edge); }
    .face.none { display: grid; place-items: center; color: var(--soft); font-size: 2rem; border-style: dashed; }
    .steps { list-style: none; margin: 0 0 1rem; padding: 0; }
    .steps li { display: grid; grid-template-columns: 5.5rem 1fr; gap: 0 .75rem; padding: .4rem 0;
      border-top: 1px solid var(--edge); }
    .steps b small { display: block; color: var(--soft); font-weight: normal; font-variant-numeric: tabular-nums; }
    .steps dl, .facts { display: grid; grid-template-columns: 8rem 1fr; gap: 0 .75rem; margin: 0; }
    .steps dt, .facts dt { color: var(--soft); }
    .steps dd, .facts dd { margin: 0; overflow-wrap: anywhere; }
    @media (max-width: 34rem) {
      .steps li { grid-template-columns: 1fr; }
      .steps b small { display: inline; margin-left: .5rem; }
      .tiles { grid-template-columns: repeat(2, 1fr); }
      .steps dl, .facts { grid-template-columns: 7rem 1fr; }
      .verdict { align-items: flex-start; }
      .face { width: 72px; height: 72px; }
      .row button { flex: 1 1 auto; }
    }
    @media (prefers-reduced-motion: no-preference) { .bar i { transition: width .3s; } }

    """
}

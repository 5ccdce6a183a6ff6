/// A result as one self-contained page: tables, charts and the raw numbers, without a script and without anything from elsewhere.
public enum HTMLReport {
  /// The page. The result itself stands in its element `result`, as `--json` writes it; throws only where that cannot be encoded.
  public static func text(_ result: BenchResult) throws -> String {
    let sections = result.scenarios.map { ($0.name, ScenarioSection($0, countsOnly: result.countsOnly)) }
    var page = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
      <link rel="icon" href="data:,">
      <title>avatar-bench \(Markup.text(result.began))</title>
      <style>
      \(ReportStyle.sheet)
      </style>
      </head>
      <body>
      <main>
      <h1>avatar-bench</h1>
      \(verdict(result))\(about(result))
      """
    page += "<nav aria-label=\"Scenarios\"><ul>"
    for (name, section) in sections {
      page += "<li><a href=\"#\(Markup.text(name))\">\(Markup.text(name))</a> \(section.state)</li>"
    }
    page += "</ul></nav>\n" + sections.map(\.1.markup).joined()
    page += "<p><small>The raw numbers are in this page's source, in the element <code>result</code>.</small></p>\n"
    page += "</main>\n<script type=\"application/json\" id=\"result\">\n\(Markup.json(try result.json()))</script>\n"
    return page + "</body>\n</html>\n"
  }

  private static func verdict(_ result: BenchResult) -> String {
    let summary = TableReport.summary(result).split(separator: "\n").map { Markup.text(String($0)) }
    let word =
      switch result.exitStatus {
      case 0: "<span class=\"mark good\">✓ all budgets met</span>"
      case 1: "<span class=\"mark bad\">✕ a budget is broken</span>"
      default: "<span class=\"mark odd\">! the run is not valid</span>"
      }
    return "<p class=\"verdict\">\(word)</p>\n<ul class=\"summary\">"
      + summary.map { "<li>\($0)</li>" }.joined(separator: "\n") + "</ul>\n"
  }

  private static func about(_ result: BenchResult) -> String {
    let machine = result.machine
    let facts = [
      ("Began", result.began), ("Version", result.version),
      ("Commit", result.commit.isEmpty ? "outside of a working tree" : result.commit), ("Server", result.server),
      ("Base length", Text.seconds(result.seconds)),
      ("Rounds, scale, seed", "\(result.rounds), \(result.scale), \(result.seed)"),
      ("What decides", result.countsOnly ? "budgets that hold on any machine" : "all budgets"),
      ("Processor", "\(machine.processor), \(machine.cores) cores"), ("Memory", Text.bytes(Double(machine.memory))),
      ("System", "\(machine.system), Linux \(machine.kernel)"),
    ]
    return "<dl>"
      + facts.map { "<div><dt>\($0)</dt><dd>\(Markup.text($1))</dd></div>" }.joined(separator: "\n") + "</dl>\n"
  }
}

import Testing

@testable import AvatarBench

struct ReportTests {
  private func page(_ change: (inout ScenarioResult) -> Void = { _ in }) throws -> String {
    var result = BenchResult(server: "/nowhere/avatar-server", seconds: 6, countsOnly: false)
    var scenario = ScenarioResult(name: "hit", story: "a story")
    change(&scenario)
    result.scenarios = [scenario]
    return try HTMLReport.text(result)
  }

  @Test func `nothing that a result says can end its script or begin an element`() throws {
    let page = try page {
      $0.failure = "</script><script>alert(1)</script><!--"
      $0.figures = [Figure("<b>&\"", 1, .count)]
      $0.timelines = [.init(name: "<i>", stretches: [.init(at: 0, answers: 1, p50: 1, p99: 2, slowest: 3)])]
    }
    #expect(page.components(of: "<script").count == 2)
    #expect(page.components(of: "</script>").count == 2)
    #expect(!page.contains("<!--") && !page.contains("<b>&\"") && !page.contains("<i>"))
  }

  @Test func `the raw numbers in the page are the result`() throws {
    let page = try page { $0.figures = [Figure("a < b & c > d", rounds: [1, 2, 3], .seconds)] }
    let json = page.components(of: "id=\"result\">")[1].components(of: "</script>")[0]
    let read = try BenchResult(json: Array(json.utf8))
    #expect(read.scenarios[0].figures == [Figure("a < b & c > d", rounds: [1, 2, 3], .seconds)])
  }

  @Test func `broken, invalid and failed are said in words`() throws {
    var broken = Figure("p99", 2, .seconds)
    broken.budget = Budget(most: 1)
    #expect(try page { $0.figures = [broken] }.contains("✕ BROKEN"))
    #expect(try page { $0.problems = ["the generator slept"] }.contains("Not valid: the generator slept"))
    #expect(try page { $0.failure = "no server" }.contains("Failed: no server"))
    #expect(try page().contains("✓ all budgets met"))
  }

  @Test func `each chart says what it shows to those who do not see it`() throws {
    let page = try page {
      $0.curves = [
        .init(name: "hits", count: 4, points: [.init(share: 0.5, seconds: 0.001), .init(share: 1, seconds: 0.002)])
      ]
      $0.usage = [.init(at: 1, serverCores: 0.5, workerCores: 0, serverBytes: 1 << 20, workerBytes: 0)]
    }
    #expect(page.components(of: "role=\"img\"").count == 4)
    #expect(
      page.contains("aria-label=\"Latency by percentile. hits: median 1.00 ms, p99 1.98 ms, slowest 2.00 ms of 4.\""))
  }

  @Test func `ninety, ninety-nine and 99.9 percent are as far from each other`() {
    let axis = ChartAxis(.percentile, of: [0, 0.9999]) { "\($0)" }
    let places = [0.9, 0.99, 0.999].compactMap(axis.place)
    #expect(places.count == 3 && abs((places[1] - places[0]) - (places[2] - places[1])) < 1e-9)
    #expect(axis.place(1) == nil)
    #expect(axis.ticks.map(\.label) == ["0", "50 %", "90 %", "99 %", "99.9 %", "99.99 %"])
  }

  @Test(arguments: [[], [0.0], [1e-9], [0.001, 0.001], [-1, .nan, .infinity], [1e-7, 1e3], [1e12]])
  func `every axis has ticks, in order and within it`(_ values: [Double]) {
    for scale in [ChartAxis.Scale.linear, .logarithmic] {
      let ticks = ChartAxis(scale, of: values) { "\($0)" }.ticks.map(\.place)
      #expect(!ticks.isEmpty && ticks.count <= 14)
      #expect(ticks == ticks.sorted() && ticks.allSatisfy { -1e-6...1.000_01 ~= $0 })
    }
  }

  @Test func `a line with more points than room keeps its peak`() {
    var points = (0..<20_000).map { (x: Double($0), y: 1.0) }
    points[12_345].y = 9
    let thin = LineChart.thin(points)
    #expect(thin.count == LineChart.mostPoints)
    #expect(thin.contains { $0.x == 12_345 && $0.y == 9 })
  }

  @Test func `colours are for terminals`() {
    var figure = Figure("p99", 2, .seconds)
    figure.budget = Budget(most: 1)
    var scenario = ScenarioResult(name: "hit", story: "a story")
    scenario.figures = [figure]
    #expect(!TableReport.text(scenario).contains("\u{1B}"))
    #expect(TableReport.text(scenario, paint: .ansi).contains("\u{1B}[31mBROKEN  \u{1B}[0m"))
  }
}

extension String {
  /// The parts between what is searched for.
  fileprivate func components(of separator: String) -> [String] {
    var (parts, rest) = ([String](), self[...])
    while let range = rest.firstRange(of: separator) {
      parts.append(String(rest[..<range.lowerBound]))
      rest = rest[range.upperBound...]
    }
    return parts + [String(rest)]
  }
}

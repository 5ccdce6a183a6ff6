/// A line chart as inline SVG: no script, colours by the page's style sheet.
struct LineChart {
  /// One line.
  struct Line {
    /// What the legend calls it.
    let name: String
    /// The line in a few words, for the legend and for those who do not see it.
    let summary: String
    /// Its points in order.
    let points: [(x: Double, y: Double)]
  }

  let title: String
  let across: String
  let lines: [Line]
  let x: ChartAxis
  let y: ChartAxis

  /// A line keeps no more points than it has room for.
  static let mostPoints = 400

  private static let (width, height) = (420.0, 250.0)
  private static let (left, right, top, bottom) = (58.0, 12.0, 10.0, 38.0)

  /// As a figure with its legend.
  var markup: String {
    let spoken = Markup.text("\(title). " + lines.map { "\($0.name): \($0.summary)." }.joined(separator: " "))
    var svg = "<figure><figcaption>\(Markup.text(title))</figcaption>\n"
    svg +=
      "<svg viewBox=\"0 0 \(Int(Self.width)) \(Int(Self.height))\" role=\"img\" aria-label=\"\(spoken)\">\n\(grid)"
    for (index, line) in lines.enumerated() { svg += path(of: line, class: "line\(index % 6)") }
    svg += "</svg>\n<ul class=\"legend\">"
    for (index, line) in lines.enumerated() {
      svg += "<li><svg viewBox=\"0 0 24 8\" aria-hidden=\"true\"><path class=\"line\(index % 6)\" d=\"M0 4H24\"/></svg>"
      svg += "<b>\(Markup.text(line.name))</b> \(Markup.text(line.summary))</li>"
    }
    return svg + "</ul></figure>\n"
  }

  private var grid: String {
    var svg = ""
    let (floor, end) = (Self.height - Self.bottom, Self.width - Self.right)
    for tick in y.ticks {
      let at = Self.down(tick.place)
      svg += "<path class=\"grid\" d=\"M\(Self.left) \(at)H\(end)\"/>"
      svg += "<text x=\"\(Self.left - 6)\" y=\"\(at + 4)\" text-anchor=\"end\">\(Markup.text(tick.label))</text>\n"
    }
    var last = -Double.infinity
    for tick in x.ticks {
      let at = Self.over(tick.place)
      svg += "<path class=\"grid\" d=\"M\(at) \(Self.top)V\(floor)\"/>"
      // A label that would run into the one before is left out; its line stays.
      let half = Double(tick.label.count) * 3.2
      guard at - half > last + 4 else { continue }
      last = at + half
      let anchor = at + half > Self.width ? "end" : "middle"
      svg += "<text x=\"\(at)\" y=\"\(floor + 15)\" text-anchor=\"\(anchor)\">\(Markup.text(tick.label))</text>\n"
    }
    let middle = (Self.left + end) / 2
    return svg + "<text x=\"\(middle)\" y=\"\(Self.height - 5)\" text-anchor=\"middle\">\(Markup.text(across))</text>\n"
  }

  private func path(of line: Line, class name: String) -> String {
    var places: [(Double, Double)] = []
    for point in Self.thin(line.points) {
      if let over = x.place(point.x), let up = y.place(point.y) { places.append((Self.over(over), Self.down(up))) }
    }
    guard let first = places.first else { return "" }
    if places.count == 1 { return "<circle class=\"\(name)\" cx=\"\(first.0)\" cy=\"\(first.1)\" r=\"2.5\"/>\n" }
    let rest = places.dropFirst().map { "L\($0.0) \($0.1)" }.joined()
    return "<path class=\"\(name)\" d=\"M\(first.0) \(first.1)\(rest)\"/>\n"
  }

  /// As many points as there is room for; of those that share a place the highest stays, so no peak is lost.
  static func thin(_ points: [(x: Double, y: Double)]) -> [(x: Double, y: Double)] {
    guard points.count > mostPoints else { return points }
    return (0..<mostPoints).compactMap { place in
      points[place * points.count / mostPoints..<(place + 1) * points.count / mostPoints].max { $0.y < $1.y }
    }
  }

  private static func over(_ place: Double) -> Double { tenth(left + place * (width - left - right)) }
  private static func down(_ place: Double) -> Double { tenth(height - bottom - place * (height - top - bottom)) }
  private static func tenth(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}

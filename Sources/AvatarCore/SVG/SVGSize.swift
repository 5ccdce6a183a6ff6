/// What a drawing's width, height and viewBox come to. (SVG 1.1, 7.2 and 7.7; CSS pixels, 96 to the inch.)
struct SVGSize {
  /// Width and height in CSS pixels; nil where the root says nothing that fixes them.
  private let intrinsic: (width: Double, height: Double)?
  private let hasViewBox: Bool

  init(attributes: [(name: String, value: [UInt8])]) {
    func text(_ name: String) -> String? {
      attributes.first { $0.name == name }.map { String(decoding: $0.value, as: UTF8.self) }
    }
    let box = Self.viewBox(text("viewBox"))
    hasViewBox = box != nil
    let width = text("width").flatMap(Self.pixels)
    let height = text("height").flatMap(Self.pixels)
    switch (width, height, box) {
    case (let width?, let height?, _): intrinsic = (width, height)
    case (let width?, nil, let box?): intrinsic = (width, width * box.height / box.width)
    case (nil, let height?, let box?): intrinsic = (height * box.width / box.height, height)
    case (nil, nil, let box?): intrinsic = box
    // One side and nothing to tell the other by: what is drawn decides.
    default: intrinsic = nil
    }
  }

  /// The size in whole pixels; 1×1 where only drawing tells.
  var pixelWidth: Int { intrinsic.map { Self.whole($0.width) } ?? 1 }
  var pixelHeight: Int { intrinsic.map { Self.whole($0.height) } ?? 1 }

  /// The size that the root is given: the longer side is always the same. Nil where only drawing tells.
  var drawnWidth: Double? { drawn?.width }
  var drawnHeight: Double? { drawn?.height }

  private var drawn: (width: Double, height: Double)? {
    guard let intrinsic else { return nil }
    let scale = SVGDocument.drawnSide / max(intrinsic.width, intrinsic.height)
    // At least so much that a strip of a drawing is still a drawing.
    return (max(0.25, intrinsic.width * scale), max(0.25, intrinsic.height * scale))
  }

  /// The root's attributes with the size put in.
  func applied(to attributes: [(name: String, value: [UInt8])]) -> [(name: String, value: [UInt8])] {
    guard let intrinsic, let drawn else { return attributes }
    var result = attributes.filter { $0.name != "width" && $0.name != "height" && (hasViewBox || $0.name != "viewBox") }
    result.append(("width", Array("\(drawn.width)".utf8)))
    result.append(("height", Array("\(drawn.height)".utf8)))
    if !hasViewBox { result.append(("viewBox", Array("0 0 \(intrinsic.width) \(intrinsic.height)".utf8))) }
    return result
  }

  private static func whole(_ length: Double) -> Int { Int(max(1, min(1e9, length.rounded()))) }

  private static func viewBox(_ text: String?) -> (width: Double, height: Double)? {
    guard let text else { return nil }
    let numbers = text.split { $0 == " " || $0 == "," || $0.isNewline || $0 == "\t" }.map { Double($0) }
    guard numbers.count == 4, let width = numbers[2], let height = numbers[3], isUsable(width), isUsable(height) else {
      return nil
    }
    return (width, height)
  }

  /// A length in pixels; nil for percentages and for what is not one.
  private static func pixels(_ text: String) -> Double? {
    let trimmed = text.drop { $0.isWhitespace }
    let end = trimmed.firstIndex { !("0123456789.+-eE".contains($0)) } ?? trimmed.endIndex
    var number = trimmed[..<end]
    var unit = trimmed[end...].prefix { !$0.isWhitespace }.lowercased()
    if number.last == "e" || number.last == "E" {  // The e of `em` and `ex`.
      number = number.dropLast()
      unit = "e" + unit
    }
    let factors = [
      "": 1.0, "px": 1, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6, "pt": 96.0 / 72, "pc": 16,
      "em": 16,
      "rem": 16, "ex": 8,
    ]
    guard let factor = factors[unit], let value = Double(number), isUsable(value * factor) else { return nil }
    return value * factor
  }

  private static func isUsable(_ length: Double) -> Bool { length.isFinite && length > 1e-6 && length < 1e12 }
}

extension ImageHeader {
  /// How much larger than its root says an SVG is to be drawn so that it meets the square exactly.
  public func drawingScale(width: Double, height: Double, recipe: Recipe) -> Double {
    let side = recipe.fit == .cover ? min(width, height) : max(width, height)
    // A strip is drawn no longer than this; the rest is enlarged.
    return min(Double(recipe.size) / side, 8192 / max(width, height))
  }
}

internal import AvatarCore

/// Which part of the stored picture becomes which part of the avatar.
struct Placement: Equatable {
  /// The part of the stored picture that is used, in whole pixels.
  let left: Int
  let top: Int
  let width: Int
  let height: Int
  /// What that part becomes, before it is turned.
  let drawnWidth: Int
  let drawnHeight: Int

  /// `cover` takes the centre square first, so that a strip of 1×10000 costs one pixel; `contain` takes everything.
  init(width: Int, height: Int, recipe: Recipe) {
    switch recipe.fit {
    case .cover:
      let side = min(width, height)
      (left, top) = ((width - side) / 2, (height - side) / 2)
      (self.width, self.height) = (side, side)
      (drawnWidth, drawnHeight) = (recipe.size, recipe.size)
    case .contain:
      (left, top, self.width, self.height) = (0, 0, width, height)
      let scale = Double(recipe.size) / Double(max(width, height))
      drawnWidth = max(1, min(recipe.size, Int((Double(width) * scale).rounded())))
      drawnHeight = max(1, min(recipe.size, Int((Double(height) * scale).rounded())))
    }
  }

  /// How many source pixels become one, on the side that is reduced less.
  var reduction: Double {
    min(Double(width) / Double(drawnWidth), Double(height) / Double(drawnHeight))
  }

  /// Which pixels of the decoded picture, `width` × `height` and 1/`divisors` of the stored one, are resized and how: to what is drawn, or to
  /// one of `parts` of it each way.
  func window(divisors: (Double, Double), width: Int, height: Int, parts: Int = 1) -> Window {
    let (drawnWidth, drawnHeight) = (drawnWidth / parts, drawnHeight / parts)
    let (columns, across) = Self.span(
      start: Double(left) / divisors.0, length: Double(self.width) / divisors.0, available: width, outputs: drawnWidth)
    let (rows, down) = Self.span(
      start: Double(top) / divisors.1, length: Double(self.height) / divisors.1, available: height,
      outputs: drawnHeight)
    return Window(
      columns: columns, rows: rows, across: across, down: down, width: drawnWidth, height: drawnHeight)
  }

  /// Whether a window's middle, in a picture of 1/`divisors`, is the placement's, to a quarter of a drawn pixel.
  func isCentred(_ window: Window, divisors: (Double, Double)) -> Bool {
    func isNear(_ span: Range<Int>, _ divisor: Double, _ start: Int, _ length: Int, _ drawn: Int) -> Bool {
      let (found, wanted) = (Double(span.lowerBound + span.upperBound) * divisor, Double(2 * start + length))
      return abs(found - wanted) <= Double(length) / Double(drawn) / 2
    }
    return isNear(window.columns, divisors.0, left, width, drawnWidth)
      && isNear(window.rows, divisors.1, top, height, drawnHeight)
  }

  /// The whole pixels that stand for a stretch which may begin and end within one, and how many times as large they become.
  ///
  /// A resize keeps the middle in the middle, so they are those whose middle is nearest to the stretch's. They are scaled like
  /// the stretch, unless its `outputs` would not be met.
  private static func span(
    start: Double, length: Double, available: Int, outputs: Int
  ) -> (Range<Int>, Double) {
    let middle = start + length / 2
    let rounded = max(1, Int(length.rounded()))
    var best = (span: 0..<rounded, distance: Double.infinity)
    for count in [rounded, rounded - 1, rounded + 1] where (1...available).contains(count) {
      let first = max(0, min(available - count, Int((middle - Double(count) / 2).rounded())))
      let distance = abs(Double(first) + Double(count) / 2 - middle)
      if distance < best.distance { best = (first..<first + count, distance) }
    }
    if best.span.count == outputs { return (best.span, 1) }
    let (count, scale) = (Double(best.span.count), Double(outputs) / length)
    return (best.span, Int(count * scale + 0.5) == outputs ? scale : Double(outputs) / count)
  }
}

/// The part of a decoded picture that is resized, and how much.
struct Window: Equatable {
  /// Decoded pixels that are used, 1 or more each way.
  let columns: Range<Int>
  let rows: Range<Int>
  /// How many times as large they become.
  let across: Double
  let down: Double
  /// What they become.
  let width: Int
  let height: Int

  /// Whether nothing is left to resize.
  var keepsSize: Bool { across == 1 && down == 1 }

  /// The same in a picture that begins at `left` and `top` of this one.
  func within(left: Int, top: Int) -> Window {
    Window(
      columns: columns.lowerBound - left..<columns.upperBound - left,
      rows: rows.lowerBound - top..<rows.upperBound - top, across: across, down: down, width: width, height: height)
  }
}

import AvatarCore
import Testing

@testable import AvatarNormalize

struct PlacementTests {
  @Test(arguments: [
    // Stored size, eighths decoded, what is used of that.
    (1024, 1024, 8, 0..<1024, 0..<1024), (1024, 1024, 3, 0..<384, 0..<384), (1200, 800, 4, 100..<500, 0..<400),
    (10_000, 1, 8, 4_999..<5_000, 0..<1), (1, 10_000, 8, 0..<1, 4_999..<5_000),
    // The middle of 4000 pixels at an eighth is 250: an odd number of pixels cannot lie around it.
    (4_000, 3_000, 1, 63..<437, 0..<375),
  ])
  func `a crop lies in the middle, whatever the picture was decoded at`(
    _ width: Int, _ height: Int, _ eighths: Int, _ columns: Range<Int>, _ rows: Range<Int>
  ) {
    let divisor = 8 / Double(eighths)
    let window = Placement(width: width, height: height, recipe: Recipe()).window(
      divisors: (divisor, divisor), width: (width * eighths + 7) / 8, height: (height * eighths + 7) / 8)
    #expect(window.columns == columns && window.rows == rows)
  }

  @Test func `every picture's window lies inside it, around its middle, and becomes exactly the avatar`() {
    var random = SystemRandomNumberGenerator()
    let seed = random.next()
    var state = seed
    func next(_ range: ClosedRange<Int>) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return range.lowerBound + Int(state >> 33) % range.count
    }
    for _ in 0..<50_000 {
      let recipe = Recipe(size: next(16...1024), fit: next(0...1) == 0 ? .cover : .contain)
      let (width, height) = (next(1...1 << next(1...14)), next(1...1 << next(1...14)))
      let placement = Placement(width: width, height: height, recipe: recipe)
      let eighths = max(1, min(8, Int((8 * 1.4 / placement.reduction).rounded(.up))))
      let divisor = 8 / Double(eighths)
      let (decodedWidth, decodedHeight) = ((width * eighths + 7) / 8, (height * eighths + 7) / 8)
      let window = placement.window(divisors: (divisor, divisor), width: decodedWidth, height: decodedHeight)
      let axes = [
        (window.columns, window.across, placement.drawnWidth, decodedWidth, Double(width)),
        (window.rows, window.down, placement.drawnHeight, decodedHeight, Double(height)),
      ]
      for (span, scale, outputs, available, stored) in axes {
        let isMet = Int(Double(span.count) * scale + 0.5) == outputs
        let middle = Double(span.lowerBound + span.upperBound) / 2
        // Half a stored pixel by the crop's own rounding, a quarter of a decoded one by that of the window.
        let isCentred = abs(middle - stored / divisor / 2) <= 0.5 / divisor + 0.5
        #expect(
          isMet && isCentred && !span.isEmpty && span.lowerBound >= 0 && span.upperBound <= available,
          "seed \(seed): \(width)×\(height) at \(eighths)/8 for \(recipe): \(window)")
      }
    }
  }
}

/// The large shapes of a picture, painted small: a gradient and soft discs before it, as in an out-of-focus portrait.
struct Scene {
  let width: Int
  let height: Int
  /// Red, green and blue, row by row.
  private(set) var pixels: [UInt8]

  private struct Disc {
    var x, y, radius, edge: Double
    var colour: SIMD4<Double>
  }

  /// `frames` of the size one below the other; from frame to frame the discs wander.
  init(width: Int, height: Int, frames: Int = 1, numbers: inout SeededNumbers) {
    (self.width, self.height) = (width, height * frames)
    pixels = [UInt8](repeating: 255, count: width * height * frames * 3)
    let (top, bottom) = (Self.colour(&numbers), Self.colour(&numbers))
    let slant = numbers.within(-0.5...0.5)
    var discs = (0..<12).map { _ in
      Disc(
        x: numbers.within(0...1), y: numbers.within(0...1), radius: numbers.within(0.06...0.35),
        edge: numbers.within(0.01...0.08), colour: Self.colour(&numbers))
    }
    for frame in 0..<frames {
      paint(frame, height, discs) { x, y in
        let part = min(1, max(0, y + slant * (x - 0.5)))
        return top + (bottom - top) * part
      }
      for index in discs.indices {
        discs[index].x += numbers.within(-0.08...0.08)
        discs[index].y += numbers.within(-0.08...0.08)
      }
    }
  }

  private mutating func paint(
    _ frame: Int, _ height: Int, _ discs: [Disc], ground: (Double, Double) -> SIMD4<Double>
  ) {
    for row in 0..<height {
      let y = Double(row) / Double(height)
      let near = discs.filter { abs($0.y - y) <= $0.radius + $0.edge }
      for column in 0..<width {
        let x = Double(column) / Double(width)
        var colour = ground(x, y)
        for disc in near {
          let (across, down) = (disc.x - x, disc.y - y)
          let inside = disc.radius - (across * across + down * down).squareRoot()
          guard inside > -disc.edge else { continue }
          let cover = min(1, (inside + disc.edge) / (2 * disc.edge))
          colour += (disc.colour - colour) * cover
        }
        let place = ((frame * height + row) * width + column) * 3
        for band in 0..<3 { pixels[place + band] = UInt8(colour[band]) }
      }
    }
  }

  private static func colour(_ numbers: inout SeededNumbers) -> SIMD4<Double> {
    SIMD4(numbers.within(25...230), numbers.within(25...230), numbers.within(25...230), 0)
  }

  /// How opaque a picture is that is cut out as a disc with a soft edge: 0…255, row by row.
  static func cutOut(side: Int, numbers: inout SeededNumbers) -> [UInt8] {
    let (radius, middle) = (numbers.within(0.42...0.48) * Double(side), Double(side - 1) / 2)
    return (0..<side * side).map { index in
      let (across, down) = (Double(index % side) - middle, Double(index / side) - middle)
      let inside = radius - (across * across + down * down).squareRoot()
      return UInt8(min(255, max(0, 128 + inside * 64)))
    }
  }
}

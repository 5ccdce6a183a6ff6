internal import Glibc

/// How near one picture comes to another of the same size.
public struct Nearness: Hashable, Sendable {
  /// Peak signal-to-noise ratio over red, green and blue, in dB; 100 where they are the same.
  public let psnr: Double
  /// Mean structural similarity of the brightness, 1 where it is the same (Wang et al. 2004: an 11×11 Gaussian window of
  /// standard deviation 1.5, K1 = 0.01, K2 = 0.03).
  public let ssim: Double

  /// Of `picture` to `reference`, both of three bands; nothing alike where their sizes differ.
  init(of picture: PlainPicture, to reference: PlainPicture) {
    let isComparable =
      picture.width == reference.width && picture.height == reference.height && picture.bands == reference.bands
    guard isComparable, picture.width >= 11, picture.height >= 11 else {
      (psnr, ssim) = (0, 0)
      return
    }
    var squares = 0.0
    for (one, other) in zip(picture.samples, reference.samples) {
      let difference = Double(one) - Double(other)
      squares += difference * difference
    }
    let mean = squares / Double(picture.samples.count)
    psnr = mean == 0 ? 100 : min(100, 10 * log10(255 * 255 / mean))
    ssim = Self.similarity(picture, reference)
  }

  private static func similarity(_ one: PlainPicture, _ other: PlainPicture) -> Double {
    let (width, height) = (one.width, one.height)
    let first = Plane(width, height) { one.brightness($0, $1) }
    let second = Plane(width, height) { other.brightness($0, $1) }
    let means = (first.smoothed(), second.smoothed())
    let squares = (first.times(first).smoothed(), second.times(second).smoothed())
    let products = first.times(second).smoothed()
    let (c1, c2) = (6.5025, 58.5225)
    var sum = 0.0
    for index in means.0.values.indices {
      let (a, b) = (means.0.values[index], means.1.values[index])
      let (varianceA, varianceB) = (squares.0.values[index] - a * a, squares.1.values[index] - b * b)
      let covariance = products.values[index] - a * b
      sum += (2 * a * b + c1) * (2 * covariance + c2) / ((a * a + b * b + c1) * (varianceA + varianceB + c2))
    }
    return sum / Double(means.0.values.count)
  }

  /// One real number a pixel.
  private struct Plane {
    let width: Int
    let height: Int
    var values: [Double]

    init(_ width: Int, _ height: Int, _ value: (Int, Int) -> Double) {
      (self.width, self.height) = (width, height)
      values = []
      values.reserveCapacity(width * height)
      for y in 0..<height { for x in 0..<width { values.append(value(x, y)) } }
    }

    func times(_ other: Plane) -> Plane {
      var product = self
      for index in values.indices { product.values[index] *= other.values[index] }
      return product
    }

    private static let window: [Double] = {
      let weights = (-5...5).map { exp(-Double($0 * $0) / (2 * 1.5 * 1.5)) }
      let sum = weights.reduce(0, +)
      return weights.map { $0 / sum }
    }()

    /// The window's mean around every pixel whose window lies inside.
    func smoothed() -> Plane {
      let window = Self.window
      let across = Plane(width - 10, height) { x, y in
        window.indices.reduce(0) { $0 + window[$1] * values[y * width + x + $1] }
      }
      return Plane(across.width, height - 10) { x, y in
        window.indices.reduce(0) { $0 + window[$1] * across.values[(y + $1) * across.width + x] }
      }
    }
  }
}

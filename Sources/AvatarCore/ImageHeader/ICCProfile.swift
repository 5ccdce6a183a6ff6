internal import Glibc

/// The few things of an ICC profile that decide whether it is used (ICC.1:2010, 7.2 and 9.2): its shape is checked before
/// any colour engine sees it.
public struct ICCProfile: Hashable, Sendable {
  /// The colour spaces that pictures come in.
  public enum ColourSpace: Hashable, Sendable {
    /// Three channels.
    case rgb
    /// One channel.
    case grey
    /// Four inks.
    case cmyk
  }

  /// What the profile's device side is.
  public let colourSpace: ColourSpace
  /// Whether converting to sRGB would change nothing that shows: sRGB's primaries and its curve.
  public let isSRGB: Bool

  /// Reads the header and the tag table of `bytes`; nil if they are not those of a profile from a device to the connection space.
  public init?(_ bytes: [UInt8]) {
    let view = ByteView(bytes: bytes)
    guard view.matches("acsp", at: 36), let size = view.big(0, 4), size >= 132, size <= bytes.count else { return nil }
    guard view.matches("XYZ ", at: 20) || view.matches("Lab ", at: 20) else { return nil }
    if view.matches("RGB ", at: 16) {
      colourSpace = .rgb
    } else if view.matches("GRAY", at: 16) {
      colourSpace = .grey
    } else if view.matches("CMYK", at: 16) {
      colourSpace = .cmyk
    } else {
      return nil
    }
    guard let count = view.big(128, 4), (1...100).contains(count) else { return nil }
    var tags: [Int: Int] = [:]
    for index in 0..<count {
      guard let name = view.big(132 + 12 * index, 4), let offset = view.big(136 + 12 * index, 4),
        let length = view.big(140 + 12 * index, 4), view.has(offset, length)
      else { return nil }
      tags[name] = offset
    }
    isSRGB = colourSpace == .rgb && Self.isSRGB(view, tags)
  }

  private static func isSRGB(_ view: ByteView, _ tags: [Int: Int]) -> Bool {
    // A table, where there is one, counts more than the matrix.
    guard tags[name("A2B0")] == nil, tags[name("A2B1")] == nil else { return false }
    // Adapted to D50, as profiles hold them.
    let primaries: [(StaticString, [Double])] = [
      ("rXYZ", [0.4361, 0.2225, 0.0139]), ("gXYZ", [0.3851, 0.7169, 0.0971]), ("bXYZ", [0.1431, 0.0606, 0.7141]),
    ]
    for (tag, wanted) in primaries {
      guard let offset = tags[name(tag)], view.matches("XYZ ", at: offset) else { return false }
      for (index, value) in wanted.enumerated() {
        guard let part = fixed(view, offset + 8 + 4 * index), abs(part - value) < 0.0025 else { return false }
      }
    }
    return (["rTRC", "gTRC", "bTRC"] as [StaticString]).allSatisfy { tag in
      guard let offset = tags[name(tag)] else { return false }
      return stride(from: 0.0, through: 1.0, by: 1 / 16).allSatisfy { x in
        guard let y = curve(view, offset, x) else { return false }
        return abs(y - (x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4))) < 0.004
      }
    }
  }

  /// The value of a curve at `x`; nil for kinds that sRGB profiles do not use.
  private static func curve(_ view: ByteView, _ offset: Int, _ x: Double) -> Double? {
    if view.matches("curv", at: offset), let count = view.big(offset + 8, 4), count > 1 {
      let position = x * Double(count - 1)
      let low = Int(position)
      guard let a = view.big(offset + 12 + 2 * low, 2),
        let b = view.big(offset + 12 + 2 * min(low + 1, count - 1), 2)
      else { return nil }
      return (Double(a) + (Double(b) - Double(a)) * (position - Double(low))) / 65535
    }
    guard view.matches("para", at: offset), view.big(offset + 8, 2) == 3 else { return nil }
    let parts = (0..<5).compactMap { fixed(view, offset + 12 + 4 * $0) }
    guard parts.count == 5 else { return nil }
    return x >= parts[4] ? pow(max(0, parts[1] * x + parts[2]), parts[0]) : parts[3] * x
  }

  private static func fixed(_ view: ByteView, _ offset: Int) -> Double? {
    view.big(offset, 4).map { Double(Int32(truncatingIfNeeded: $0)) / 65536 }
  }

  private static func name(_ text: StaticString) -> Int {
    text.withUTF8Buffer { $0.reduce(0) { $0 << 8 | Int($1) } }
  }
}

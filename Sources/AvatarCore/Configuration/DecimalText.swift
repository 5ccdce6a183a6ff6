/// Decimal numbers without a sign, read exactly.
enum DecimalText {
  /// `digits[.digits]` times `factor`, if that is whole and fits; nil otherwise.
  static func scaled(_ text: some StringProtocol, by factor: Int64) -> Int64? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let whole = digits(first) else { return nil }
    let (product, overflow) = whole.multipliedReportingOverflow(by: factor)
    guard !overflow else { return nil }
    guard parts.count == 2 else { return product }
    guard parts[1].utf8.count <= 6, let fraction = digits(parts[1]) else { return nil }
    let scale = (0..<parts[1].utf8.count).reduce(Int64(1)) { power, _ in power * 10 }
    let (numerator, tooLarge) = fraction.multipliedReportingOverflow(by: factor)
    guard !tooLarge, numerator % scale == 0 else { return nil }
    let (sum, tooMuch) = product.addingReportingOverflow(numerator / scale)
    return tooMuch ? nil : sum
  }

  /// One to eighteen ASCII digits; nil otherwise.
  static func digits(_ text: some StringProtocol) -> Int64? {
    guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Int64(text)
  }
}

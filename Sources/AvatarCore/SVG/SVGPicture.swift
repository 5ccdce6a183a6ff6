/// A picture embedded in an SVG as a data URI (RFC 2397): PNG or JPEG, its header checked.
struct SVGPicture {
  /// What its header says.
  let pixels: Int
  /// The data URI that the decoder gets.
  let reference: [UInt8]

  /// Nil for references that are not data URIs. Throws `image_unsupported` for other formats and `image_too_many_pixels`.
  init?(_ link: [UInt8], limits: ImageLimits) throws(AvatarError) {
    // URL parsers pass over tabs and line ends wherever they stand.
    let text = link.filter { $0 != 9 && $0 != 10 && $0 != 13 }
    guard String(decoding: text.prefix(5), as: UTF8.self).lowercased() == "data:" else { return nil }
    guard let comma = text.firstIndex(of: UInt8(ascii: ",")),
      String(decoding: text[..<comma], as: UTF8.self).lowercased().hasSuffix(";base64"),
      let bytes = Base64.decode(Self.percentDecoded(text[(comma + 1)...]))
    else { throw .unsupported("a picture in an SVG that is not base64") }
    guard let format = ImageFormat(sniffing: bytes), format == .png || format == .jpeg else {
      throw .unsupported("a picture in an SVG that is neither PNG nor JPEG")
    }
    let header = try ImageHeader(of: bytes, limits: limits)
    pixels = header.width.multipliedReportingOverflow(by: header.height).partialValue
    guard
      header.width <= limits.maxPixelsWhole && header.height <= limits.maxPixelsWhole
        && pixels <= limits.maxPixelsWhole
    else { throw AvatarError(.imageTooManyPixels, "a picture of \(header.width)×\(header.height) in an SVG") }
    reference = Array("data:image/\(format.rawValue);base64,".utf8) + Base64.encode(header.essence)
  }

  private static func percentDecoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
    guard text.contains(UInt8(ascii: "%")) else { return Array(text) }
    var result: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        result.append(value)
        rest = rest.dropFirst(2)
      } else {
        result.append(byte)
      }
    }
    return result
  }
}

/// The formats that are decoded, told by their first bytes alone: names and content types are not asked.
public enum ImageFormat: String, Hashable, Sendable, CaseIterable {
  case jpeg, png, gif, webp, avif, heic, svg

  /// The format of `source`; nil for everything that is not decoded.
  ///
  /// SVG is told by its root element (see `SVGDocument`), so any text that may be XML is `svg` here and may still be
  /// refused there.
  public init?(sniffing source: [UInt8]) {
    let view = ByteView(bytes: source)
    if view.u8(0) == 0xFF && view.u8(1) == 0xD8 {
      self = .jpeg
    } else if view.u8(0) == 0x89 && view.matches("PNG\r\n\u{1A}\n", at: 1) {
      self = .png
    } else if view.matches("GIF87a", at: 0) || view.matches("GIF89a", at: 0) {
      self = .gif
    } else if view.matches("RIFF", at: 0) && view.matches("WEBP", at: 8) {
      self = .webp
    } else if view.matches("ftyp", at: 4) {
      guard let format = HEIFHeader.format(of: view) else { return nil }
      self = format
    } else if SVGEncoding(sniffing: source) != nil {
      self = .svg
    } else {
      return nil
    }
  }
}

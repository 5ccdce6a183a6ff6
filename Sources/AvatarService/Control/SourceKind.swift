import AvatarCore

/// What a source's first bytes look like, in words; for people who wonder why it is no avatar.
///
/// Only `ImageFormat` decides what is decoded. This also knows the usual mistakes: a login page, an error as JSON, a format that is not taken.
enum SourceKind {
  /// A name such as `JPEG`, `an HTML page`, `a PDF`; `unknown bytes` where nothing fits.
  static func name(of source: [UInt8]) -> String {
    let head = source.prefix(512)
    if let found = signatures.first(where: { matches($0.bytes, in: head, at: $0.offset) }) { return found.name }
    let text = head.drop { $0 <= 0x20 || $0 == 0xEF || $0 == 0xBB || $0 == 0xBF }
    let lowered = text.map { (65...90).contains($0) ? $0 + 32 : $0 }
    for mark in ["<!doctype html", "<html", "<head", "<body", "<script"] where lowered.starts(with: Array(mark.utf8)) {
      return "an HTML page"
    }
    switch ImageFormat(sniffing: source) {
    case .svg where String(decoding: lowered, as: UTF8.self).contains("<svg"): return "SVG"
    case .svg: return "XML without an SVG at its root"
    case .some(let format): return format == .webp ? "WebP" : format.rawValue.uppercased()
    case nil: break
    }
    if text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "[") { return "JSON" }
    // The cut may go through a character.
    let whole = source.count > head.count ? head.dropLast(head.reversed().prefix { $0 >= 0x80 }.count) : head
    let isText = whole.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 9 || $0 == 10 || $0 == 13 }
    if isText, String(validating: whole, as: UTF8.self) != nil { return "plain text" }
    return "unknown bytes"
  }

  private struct Signature {
    var name: String
    var bytes: [UInt8]
    var offset = 0
  }

  /// Formats that are not decoded, by the marks that their own specifications give.
  private static let signatures = [
    Signature(name: "a PDF", bytes: Array("%PDF-".utf8)),
    Signature(name: "TIFF", bytes: [0x49, 0x49, 0x2A, 0x00]),
    Signature(name: "TIFF", bytes: [0x4D, 0x4D, 0x00, 0x2A]),
    Signature(name: "JPEG XL", bytes: [0xFF, 0x0A]),
    Signature(name: "JPEG XL", bytes: [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20]),
    Signature(name: "JPEG 2000", bytes: [0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20]),
    Signature(name: "BMP", bytes: Array("BM".utf8)),
    Signature(name: "an icon file (ICO)", bytes: [0, 0, 1, 0]),
    Signature(name: "gzip", bytes: [0x1F, 0x8B]),
    Signature(name: "Zstandard", bytes: [0x28, 0xB5, 0x2F, 0xFD]),
    Signature(name: "a ZIP archive", bytes: [0x50, 0x4B, 3, 4]),
    Signature(name: "a Photoshop file", bytes: Array("8BPS".utf8)),
    Signature(name: "an MP4 video", bytes: Array("ftypisom".utf8), offset: 4),
    Signature(name: "an MP4 video", bytes: Array("ftypmp4".utf8), offset: 4),
    Signature(name: "a WebM video", bytes: [0x1A, 0x45, 0xDF, 0xA3]),
  ]

  private static func matches(_ mark: [UInt8], in head: ArraySlice<UInt8>, at offset: Int) -> Bool {
    head.dropFirst(offset).starts(with: mark)
  }
}

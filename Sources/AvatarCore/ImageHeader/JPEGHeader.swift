/// Reads a JPEG's marker segments up to its first scan, and counts the scans where they are many. (ITU-T T.81, annex B.)
enum JPEGHeader {
  /// Encoders make about ten scans; a file of thousands of empty ones costs minutes of CPU, each walking all blocks.
  static let maximumScans = 100

  static func read(_ source: [UInt8]) throws(AvatarError) -> ImageHeader {
    let view = ByteView(bytes: source)
    var header = ImageHeader(format: .jpeg, width: 0, height: 0, essence: source)
    var orientation: Int?
    var profile = ProfileParts()
    var components = 0
    var offset = 2
    while let marker = nextMarker(view, &offset) {
      if marker == 0xD9 { break }
      if marker == 0x01 || (0xD0...0xD8).contains(marker) { continue }
      guard let length = view.big(offset, 2), length >= 2, view.has(offset, length) else { break }
      let body = offset + 2..<offset + length
      switch marker {
      case 0xC0, 0xC1, 0xC2, 0xC9, 0xCA:
        guard components == 0 else { throw .corrupt("two frames") }
        guard let bits = view.u8(body.lowerBound), let height = view.big(body.lowerBound + 1, 2),
          let width = view.big(body.lowerBound + 3, 2), let count = view.u8(body.lowerBound + 5)
        else { throw .corrupt("frame header cut short") }
        guard bits == 8 else { throw .unsupported("JPEG of \(bits) bits") }
        header.width = width
        header.height = height
        components = count
        header.isDecodedWhole = marker == 0xC2 || marker == 0xCA
      case 0xC3, 0xC5...0xC7, 0xC8, 0xCB, 0xCD...0xCF:
        throw .unsupported("lossless or hierarchical JPEG")
      case 0xDA:
        guard components > 0 else { throw .corrupt("scan without a frame") }
        // A scan of some components only: the rest come later, so the whole picture is held until then.
        if view.u8(body.lowerBound) != components { header.isDecodedWhole = true }
        if header.isDecodedWhole { try checkScans(view, from: offset + length) }
        header.orientation = orientation ?? 1
        header.profile = profile.joined
        return header
      case 0xE1 where orientation == nil && view.matches("Exif\0\0", at: body.lowerBound):
        orientation = EXIFOrientation.read(source[body.lowerBound + 6..<body.upperBound])
      case 0xE2 where view.matches("ICC_PROFILE\0", at: body.lowerBound) && body.count > 14:
        profile.add(
          source[body.lowerBound + 14..<body.upperBound], number: Int(source[body.lowerBound + 12]),
          of: Int(source[body.lowerBound + 13]))
      default: break
      }
      offset += length
    }
    throw .corrupt("JPEG without a scan")
  }

  /// Finds the next marker as decoders do: whatever is not one is passed over.
  private static func nextMarker(_ view: ByteView, _ offset: inout Int) -> Int? {
    while offset + 1 < view.count {
      if view.bytes[offset] == 0xFF && view.bytes[offset + 1] != 0xFF && view.bytes[offset + 1] != 0 {
        offset += 2
        return Int(view.bytes[offset - 1])
      }
      offset += 1
    }
    return nil
  }

  private static func checkScans(_ view: ByteView, from start: Int) throws(AvatarError) {
    var offset = start
    var scans = 1
    while let marker = nextMarker(view, &offset) {
      if marker == 0xD9 { return }
      if marker == 0xDA { scans += 1 }
      if marker >= 0xC0 && !(0xD0...0xD8).contains(marker) { offset += view.big(offset, 2) ?? 0 }
      guard scans <= maximumScans else { throw .corrupt("more than \(maximumScans) scans") }
    }
  }
}

/// An ICC profile in up to 255 numbered APP2 segments (ICC.1:2010, B.4): usable only if each is there once.
private struct ProfileParts {
  private var parts: [Int: ArraySlice<UInt8>] = [:]
  private var total = 0
  private var isBroken = false

  mutating func add(_ part: ArraySlice<UInt8>, number: Int, of count: Int) {
    if total == 0 { total = count }
    if count != total || number < 1 || number > count || parts[number] != nil { isBroken = true }
    parts[number] = part
  }

  var joined: [UInt8]? {
    guard !isBroken && total > 0 && parts.count == total else { return nil }
    return (1...total).flatMap { parts[$0] ?? [] }
  }
}

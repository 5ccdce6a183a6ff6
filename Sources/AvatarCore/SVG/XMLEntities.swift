/// The entities of one document: the five of XML and those that it declares itself. Replacing them is bounded in all.
///
/// An entity stands for text only. Markup in one is shown as it is written: a drawing that builds its elements out of
/// entities is not worth what such documents can do.
struct XMLEntities {
  private var declared: [String: [UInt8]] = [:]
  private var spent = 0

  /// The first declaration of a name counts. (XML 1.0, 4.2.)
  mutating func declare(_ name: String, _ value: [UInt8]) {
    guard declared.count < 1000 && declared[name] == nil else { return }
    declared[name] = value
  }

  /// `raw` with its references replaced. Throws `image_corrupt` for what is not a reference, is not declared, or grows too
  /// much.
  mutating func expand(_ raw: ArraySlice<UInt8>, depth: Int = 0) throws(AvatarError) -> [UInt8] {
    guard raw.contains(UInt8(ascii: "&")) else { return Array(raw) }
    guard depth < 16 else { throw .corrupt("XML entities in entities in entities") }
    var result: [UInt8] = []
    var rest = raw
    while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
      result += rest[..<start]
      guard let end = rest[start...].prefix(257).firstIndex(of: UInt8(ascii: ";")) else {
        throw .corrupt("XML reference without an end")
      }
      result += try replacement(rest[(start + 1)..<end], depth)
      rest = rest[(end + 1)...]
    }
    return result + rest
  }

  private mutating func replacement(_ name: ArraySlice<UInt8>, _ depth: Int) throws(AvatarError) -> [UInt8] {
    let name = String(decoding: name, as: UTF8.self)
    switch name {
    case "lt": return [UInt8(ascii: "<")]
    case "gt": return [UInt8(ascii: ">")]
    case "amp": return [UInt8(ascii: "&")]
    case "quot": return [UInt8(ascii: "\"")]
    case "apos": return [UInt8(ascii: "'")]
    default: break
    }
    if name.hasPrefix("#") {
      let isHex = name.hasPrefix("#x")
      guard let value = UInt32(name.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10),
        let scalar = Unicode.Scalar(value)
      else { throw .corrupt("XML character reference") }
      return Array(String(Character(scalar)).utf8)
    }
    // One that is declared outside, or not at all, stands for nothing.
    guard let value = declared[name] else { return [] }
    let expanded = try expand(value[...], depth: depth + 1)
    spent += expanded.count + 1
    guard spent <= XMLReader.maximumExpansion else { throw .corrupt("XML entities that grow") }
    return expanded
  }
}

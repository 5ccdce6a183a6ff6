/// Which resource of the public side a request target names. Decides by the path's shape alone, without Foundation and with
/// no allocation beyond the parts it hands out: every hit passes here.
public enum PublicRoute: Hashable, Sendable {
  /// `/avatar/{signature}/{segment}.jpg`, neither checked yet.
  case avatar(signature: String, segment: String, version: String?)
  /// `/avatar/unsigned/{segment}.jpg`.
  case unsignedSegment(segment: String, version: String?)
  /// `/avatar?…`: the raw query, empty without one.
  case unsignedQuery(String)
  /// `/o/{sha256}.jpg` with 64 hexadecimal digits in lower case.
  case object(ContentHash)
  /// `/healthz`.
  case health
  /// Anything else: 404.
  case none

  /// `path` and `query` as in `HTTPRequest`: raw, nothing decoded.
  ///
  /// `version` is the query's first `v` where that is exactly 16 hexadecimal digits in lower case; a malformed one counts as
  /// absent (the avatar is there all the same), and other parameters are ignored.
  public init(path: String, query: String?) {
    var path = path
    self = path.withUTF8 { bytes in
      if Self.begins(bytes, with: "/avatar/") { return Self.avatar(bytes, query) }
      if Self.begins(bytes, with: "/o/") { return Self.object(bytes) }
      if bytes.elementsEqual("/avatar".utf8) { return .unsignedQuery(query ?? "") }
      return bytes.elementsEqual("/healthz".utf8) ? .health : .none
    }
  }

  private typealias Bytes = UnsafeBufferPointer<UInt8>

  private static func avatar(_ path: Bytes, _ query: String?) -> PublicRoute {
    let start = "/avatar/".utf8.count
    guard let slash = path[start...].firstIndex(of: UInt8(ascii: "/")), slash > start,
      let segment = name(in: path, from: slash + 1)
    else { return .none }
    let signature = path[start..<slash]
    let version = version(inQuery: query)
    let text = String(decoding: segment, as: UTF8.self)
    return signature.elementsEqual("unsigned".utf8)
      ? .unsignedSegment(segment: text, version: version)
      : .avatar(signature: String(decoding: signature, as: UTF8.self), segment: text, version: version)
  }

  private static func object(_ path: Bytes) -> PublicRoute {
    guard let name = name(in: path, from: "/o/".utf8.count), name.count == 64,
      let digest = Digest256(hex: String(decoding: name, as: UTF8.self))
    else { return .none }
    return .object(ContentHash(digest))
  }

  private static func begins(_ path: Bytes, with prefix: StaticString) -> Bool {
    path.count >= prefix.utf8CodeUnitCount
      && prefix.withUTF8Buffer { path[..<$0.count].elementsEqual($0) }
  }

  /// The path's last component without its `.jpg`; nil if it is empty, has another ending or a `/`.
  private static func name(in path: Bytes, from start: Int) -> Slice<Bytes>? {
    let end = path.count - ".jpg".utf8.count
    guard end > start, path[end...].elementsEqual(".jpg".utf8) else { return nil }
    let name = path[start..<end]
    return name.contains(UInt8(ascii: "/")) ? nil : name
  }

  /// The query's first `v` where it is well formed; nil otherwise.
  public static func version(inQuery query: String?) -> String? {
    guard var query else { return nil }
    return query.withUTF8 { bytes in
      for parameter in bytes.split(separator: UInt8(ascii: "&")) where parameter.starts(with: "v=".utf8) {
        let value = parameter.dropFirst(2)
        guard value.count == 16, value.allSatisfy(isLowerHex) else { return nil }
        return String(decoding: value, as: UTF8.self)
      }
      return nil
    }
  }

  private static func isLowerHex(_ byte: UInt8) -> Bool {
    ASCII.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }
}

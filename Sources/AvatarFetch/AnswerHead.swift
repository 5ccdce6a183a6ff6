import AvatarCore

/// Status and fields of one final answer, as they came.
struct AnswerHead: Hashable, Sendable {
  /// The status, 200…599.
  var status: Int
  /// Whether it came over HTTP/1.x, where framing is text.
  var isHTTP1: Bool
  /// Fields in order, names in lower case, values trimmed.
  var fields: [HeaderField] = []
  /// The raw value of every `Location`.
  var locations: [[UInt8]] = []

  /// All values of a field (lower-case name), in order.
  func values(of name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
  /// The first value of a field.
  func first(_ name: String) -> String? { fields.first { $0.name == name }?.value }

  /// The body's length as told; nil if it was not. Throws where it is malformed or told twice in two ways (RFC 9110 section 8.6).
  func contentLength() throws(AvatarError) -> Int? {
    var length: Int?
    for value in values(of: "content-length") {
      for part in value.split(separator: ",", omittingEmptySubsequences: false) {
        let digits = part.trimming(while: { $0 == " " || $0 == "\t" })
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits) else {
          throw AvatarError(.originProtocol, "malformed Content-Length")
        }
        guard length == nil || length == number else {
          throw AvatarError(.originProtocol, "two different Content-Lengths")
        }
        length = number
      }
    }
    return length
  }
}

extension Substring {
  /// Without what fits at both ends.
  func trimming(while fits: (Character) -> Bool) -> Substring {
    var rest = drop(while: fits)
    while let last = rest.last, fits(last) { rest.removeLast() }
    return rest
  }
}

import AvatarCore
import FoundationEssentials

/// JSON in and out of the control side.
enum JSONReply {
  /// A value as a JSON answer that nobody keeps.
  static func make(_ value: some Encodable, status: Int = 200) -> HTTPReply {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let body = try? encoder.encode(value) else {
      return Problem.reply(AvatarError(.internalFault, "an answer does not encode"))
    }
    return HTTPReply(status: status, headers: fields("application/json"), body: [UInt8](body) + [10])
  }

  /// Text that nobody keeps.
  static func text(_ text: String, type: String) -> HTTPReply {
    HTTPReply(status: 200, headers: fields(type), body: Array(text.utf8))
  }

  /// The body of a POST, which must be `application/json` and of the right form.
  static func read<Value: Decodable>(_ request: HTTPRequest) throws(AvatarError) -> Value {
    try requireJSON(request)
    do {
      return try JSONDecoder().decode(Value.self, from: Data(request.body))
    } catch {
      throw AvatarError(.invalidRequest, "the body is not JSON of the expected form")
    }
  }

  /// Throws `unsupported_media_type` for a body that is not declared as `application/json`.
  static func requireJSON(_ request: HTTPRequest) throws(AvatarError) {
    let type = request.header("Content-Type")?.split(separator: ";").first.map { trimmed($0).lowercased() }
    guard type == "application/json" else { throw AvatarError(.unsupportedMediaType) }
  }

  private static func trimmed(_ text: Substring) -> String {
    String(text.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
  }

  private static func fields(_ type: String) -> [HeaderField] {
    [
      HeaderField("Content-Type", type), HeaderField("Cache-Control", "no-store"),
      HeaderField("X-Content-Type-Options", "nosniff"),
    ]
  }
}

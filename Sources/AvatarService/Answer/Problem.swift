public import AvatarCore

/// Errors as `application/problem+json` (RFC 9457): a stable code, no address, nothing of the request.
public enum Problem {
  /// The reply for an error; `remembered` is how much longer it may be kept, nil for `no-store`.
  public static func reply(
    _ error: AvatarError, remembered: Duration? = nil, cacheStatus: CacheStatus? = nil, extra: [HeaderField] = []
  ) -> HTTPReply {
    let code = error.code
    var headers = [
      HeaderField("Content-Type", "application/problem+json"),
      HeaderField("Cache-Control", cacheControl(remembered)),
      HeaderField("X-Content-Type-Options", "nosniff"),
      HeaderField("Access-Control-Allow-Origin", "*"),
    ]
    if let cacheStatus { headers.append(HeaderField("Cache-Status", cacheStatus.fieldValue)) }
    if let wait = retryAfter(error, remembered) { headers.append(HeaderField("Retry-After", "\(wait)")) }
    headers += extra
    return HTTPReply(status: code.status, headers: headers, body: Array(body(code).utf8))
  }

  /// The code of a reply that was made here; nil for any other.
  static func code(of reply: HTTPReply) -> AvatarError.Code? {
    guard reply.status >= 400 else { return nil }
    return AvatarError.Code.allCases.first { $0.status == reply.status && reply.body.bytes == Array(body($0).utf8) }
  }

  /// The JSON text. Codes and titles are ours and hold nothing that needs escaping.
  static func body(_ code: AvatarError.Code) -> String {
    "{\"type\":\"urn:avatar-server:error:\(code.rawValue)\",\"title\":\"\(code.title)\",\"status\":\(code.status),\"code\":\"\(code.rawValue)\"}\n"
  }

  private static func cacheControl(_ remembered: Duration?) -> String {
    guard let seconds = remembered?.wholeSeconds, seconds > 0 else { return "no-store" }
    return "public, max-age=\(seconds)"
  }

  private static func retryAfter(_ error: AvatarError, _ remembered: Duration?) -> Int64? {
    guard error.code.status == 503 else { return nil }
    return max(1, (remembered ?? error.retryAfter ?? .seconds(1)).wholeSeconds)
  }
}

public import AvatarCore

/// What ties a log line to the caller's own: `traceparent` (W3C Trace Context) or `X-Request-Id`, where they are well formed.
public struct TraceContext: Sendable {
  /// The caller's trace context, 55 characters; nil where none came.
  public var traceparent: String?
  /// The caller's request id, or one made here.
  public var requestID: String

  /// Reads a request's fields; what is malformed counts as absent.
  public init(_ request: HTTPRequest) {
    traceparent = request.header("traceparent").flatMap { Self.isTraceparent($0) ? $0 : nil }
    requestID = request.header("X-Request-Id").flatMap { Self.isRequestID($0) ? $0 : nil } ?? Self.made()
  }

  private static func isTraceparent(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0].utf8.count == 2, parts[1].utf8.count == 32, parts[2].utf8.count == 16,
      parts[3].utf8.count == 2
    else { return false }
    return parts.allSatisfy { $0.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) } }
  }

  private static func isRequestID(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 45 || $0 == 46 || $0 == 95
      }
  }

  private static func made() -> String {
    let number = UInt64.random(in: .min ... .max)
    let text = String(number, radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }
}

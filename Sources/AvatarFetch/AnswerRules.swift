import AvatarCore

/// What an answer's status and fields mean for us. Pure.
enum AnswerRules {
  /// What to do with the body that follows a header.
  enum Plan: Hashable {
    /// It may be the picture; so many bytes were announced, if any were.
    case keep(announced: Int?)
    /// The status says all; a little is read so that the connection can be used again.
    case discard
  }

  /// How one hop ended.
  enum Outcome: Equatable {
    /// The picture's bytes are there.
    case found
    /// The stored copy is still right.
    case notModified
    /// To be followed; the raw `Location`.
    case redirected([UInt8])
    /// Not to be had.
    case failed(AvatarError)
  }

  /// `Retry-After` is believed up to this.
  static let longestRetryAfter = Duration.seconds(86_400)

  /// Decides at the end of the header, before a byte of the body is kept.
  static func plan(for head: AnswerHead, maxBytes: Int) throws(AvatarError) -> Plan {
    let length = try head.contentLength()
    // RFC 9112 section 6.3: an attempt at smuggling, or a server that does not know what it sends.
    if head.isHTTP1, length != nil, head.first("transfer-encoding") != nil {
      throw AvatarError(.originProtocol, "Content-Length beside Transfer-Encoding")
    }
    switch head.status {
    case 200, 203:
      break
    case 206:
      guard isWhole(head) else { throw AvatarError(.originProtocol, "a part that nobody asked for", originStatus: 206) }
    default:
      return .discard
    }
    if head.first("content-type")?.lowercased().hasPrefix("multipart/") ?? false {
      throw AvatarError(.imageUnsupported, "a multipart stream")  // Motion JPEG never ends; do not wait until it does.
    }
    if let length, length > maxBytes { throw AvatarError(.sourceTooLarge, "\(length) bytes announced") }
    return .keep(announced: length)
  }

  /// Decides at the end of a hop whose header was whole. `bytes` counts the body after decoding.
  static func outcome(of head: AnswerHead, bytes: Int, isConditional: Bool, now: UnixTime) -> Outcome {
    let status = head.status
    func failed(_ code: AvatarError.Code, _ detail: String = "", retryAfter: Duration? = nil) -> Outcome {
      .failed(AvatarError(code, detail, originStatus: status, retryAfter: retryAfter))
    }
    switch status {
    case 200, 203, 206:
      return bytes > 0 ? .found : failed(.sourceEmpty)
    case 204, 205:
      return failed(.sourceEmpty)
    case 301, 302, 303, 307, 308:
      guard let location = head.locations.first, !location.isEmpty else {
        return failed(.originRedirect, "no Location")
      }
      guard head.locations.allSatisfy({ $0 == location }) else {
        return failed(.originRedirect, "two different Locations")
      }
      return .redirected(location)
    case 304:
      return isConditional ? .notModified : failed(.originProtocol, "304 to a request without validators")
    case 300..<400:
      return failed(.originRedirect, "a redirect that is not followed")
    case 404, 410:
      return failed(.originNotFound)
    case 429, 503:
      return failed(.originThrottled, retryAfter: retryAfter(head, now: now))
    default:
      return failed(.originStatus)
    }
  }

  /// What the origin asks for, 0…`longestRetryAfter`; nil where there is nothing that can be read.
  static func retryAfter(_ head: AnswerHead, now: UnixTime) -> Duration? {
    head.first("retry-after").flatMap { RetryAfter.parse($0, now: now) }.map { min($0, longestRetryAfter) }
  }

  /// Whether a 206 holds the whole picture all the same (`bytes 0-9/10`, ten bytes announced): some object stores always answer so.
  private static func isWhole(_ head: AnswerHead) -> Bool {
    guard let range = head.first("content-range"), range.lowercased().hasPrefix("bytes 0-"),
      case let numbers = range.dropFirst(8).split(separator: "/"), numbers.count == 2,
      let last = Int(numbers[0]), let total = Int(numbers[1]), last >= 0, last < .max, total == last + 1
    else { return false }
    return (try? head.contentLength()) == total && head.first("content-encoding") == nil
  }
}

/// Why nothing came of a download. Descriptions are for a log: they name no URL and no token.
public enum DownloadFault: Error, Hashable, Sendable {
  /// Not an absolute `http` or `https` URL with a host and without credentials.
  case invalidURL
  /// App Transport Security forbids it: plain `http` without an exception in the extension's own Info.plist.
  case transportSecurity
  /// No connection, or one that broke; the number is `URLError.Code`'s.
  case unreachable(Int)
  /// The connection ended before the answer did.
  case truncated
  /// Its share of the deadline is over.
  case timedOut
  /// An answer with another status than 200.
  case status(Int)
  /// Redirected to another scheme, from `https` to `http`, too often, or where none is allowed.
  case redirect
  /// Not of the type that was asked for.
  case wrongType
  /// More bytes than the limit.
  case tooLarge
  /// No bytes at all.
  case empty
  /// The bytes are not those that the URL names.
  case wrongHash
  /// No picture that can be shown, or not all of one.
  case notAnImage
  /// More pixels than an extension has memory for.
  case tooManyPixels
  /// The system's time for the extension ended, or the caller gave up.
  case cancelled
}

extension DownloadFault: CustomStringConvertible {
  /// A few words for a log.
  public var description: String {
    switch self {
    case .invalidURL: "not a usable URL"
    case .transportSecurity: "plain http, which App Transport Security forbids in this extension"
    case .unreachable(let code): "no connection (URLError \(code))"
    case .truncated: "the answer broke off"
    case .timedOut: "out of time"
    case .status(let status): "status \(status)"
    case .redirect: "a redirect that is not followed"
    case .wrongType: "another type than asked for"
    case .tooLarge: "too many bytes"
    case .empty: "no bytes"
    case .wrongHash: "other bytes than the URL names"
    case .notAnImage: "no whole picture"
    case .tooManyPixels: "too many pixels"
    case .cancelled: "cancelled"
    }
  }
}

/// The two schemes that are fetched.
public enum Scheme: String, Hashable, Sendable {
  /// Plain HTTP.
  case http
  /// HTTP over TLS.
  case https

  /// The port that a URL of this scheme means when it names none.
  public var defaultPort: UInt16 {
    switch self {
    case .http: 80
    case .https: 443
    }
  }
}

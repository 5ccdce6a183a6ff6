import Foundation

/// What the app leaves for its extension in an App Group's defaults: where its items are, whose they are, and the token to read them.
public struct SharedCredentials: Hashable, Sendable {
  /// The names of the values in the suite.
  public enum Key: String, CaseIterable, Sendable {
    /// Start of the items' URLs.
    case baseURL = "shared.baseURL"
    /// The user's tenant.
    case tenant = "shared.tenant"
    /// The bearer token.
    case token = "shared.token"
  }

  /// Start of the items' URLs, such as `https://api.example.com`.
  public var baseURL: String?
  /// The user's tenant.
  public var tenant: String?
  /// The bearer token.
  public var token: String?

  /// Names them.
  public init(baseURL: String?, tenant: String?, token: String?) {
    self.baseURL = baseURL
    self.tenant = tenant
    self.token = token
  }

  /// Reads the suite, such as `group.com.example.chat`; a debug build has one of its own. Everything is nil where nobody is logged in, the
  /// group is not among the extension's entitlements, or the phone has not been unlocked since it started.
  public init(suite: String) {
    let defaults = UserDefaults(suiteName: suite)
    func text(_ key: Key) -> String? { defaults?.string(forKey: key.rawValue) }
    self.init(baseURL: text(.baseURL), tenant: text(.tenant), token: text(.token))
  }
}

extension SharedCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Says what is there, not what it is.
  public var description: String {
    func presence(_ value: String?) -> String { value == nil ? "missing" : "present" }
    return "baseURL \(presence(baseURL)), tenant \(presence(tenant)), token \(presence(token))"
  }
  /// The same.
  public var debugDescription: String { description }
  /// Without the token, so that no dump shows it.
  public var customMirror: Mirror { Mirror(self, children: ["": description]) }
}

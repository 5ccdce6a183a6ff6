import Foundation

/// The app's side of the credentials that its extension reads: save them at login and whenever the token is refreshed, clear them at logout.
///
/// For the app's target alone; the extension reads with `SharedCredentials`, by the same names.
struct SharedStorage {
  /// What the extension needs to fetch an item's text.
  struct Credentials: Equatable, Sendable {
    /// Start of the items' URLs, `https`.
    var baseURL: String
    /// The user's tenant.
    var tenant: String
    /// The bearer token. Give the extension one that can only read, if the backend has such.
    var token: String
    /// Names them.
    init(baseURL: String, tenant: String, token: String) {
      self.baseURL = baseURL
      self.tenant = tenant
      self.token = token
    }
  }

  private enum Key: String, CaseIterable {
    case baseURL = "shared.baseURL"
    case tenant = "shared.tenant"
    case token = "shared.token"
  }

  private let defaults: UserDefaults

  /// The App Group's defaults. Nil if the group's name cannot be one; a group that is missing in the entitlements gives defaults that the
  /// extension does not see, which only a device test shows.
  init?(suite: String = SharedSuite.name) {
    guard let defaults = UserDefaults(suiteName: suite) else { return nil }
    self.defaults = defaults
  }

  /// Keeps all three: at login, and each time the token is refreshed.
  func save(_ credentials: Credentials) {
    defaults.set(credentials.baseURL, forKey: Key.baseURL.rawValue)
    defaults.set(credentials.tenant, forKey: Key.tenant.rawValue)
    defaults.set(credentials.token, forKey: Key.token.rawValue)
  }

  /// What is kept; nil unless all three are.
  func read() -> Credentials? {
    guard let baseURL = defaults.string(forKey: Key.baseURL.rawValue),
      let tenant = defaults.string(forKey: Key.tenant.rawValue),
      let token = defaults.string(forKey: Key.token.rawValue)
    else { return nil }
    return Credentials(baseURL: baseURL, tenant: tenant, token: token)
  }

  /// Forgets all three: at logout, before anything else of it, so that no push is read as the user who has left.
  func clear() {
    for key in Key.allCases { defaults.removeObject(forKey: key.rawValue) }
  }
}

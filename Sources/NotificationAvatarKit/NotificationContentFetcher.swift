public import Foundation

/// Fetches the real text of a thin push from the app's own backend, as the user who is logged in.
public struct NotificationContentFetcher: Sendable {
  /// Where, and what of the answer is used.
  public struct Options: Hashable, Sendable {
    /// The path below the base URL; `{tenant}` and `{item_id}` are whole segments.
    public var path = "{tenant}/api/items/{item_id}/notification"
    /// The member of the answer that becomes the body.
    public var bodyKey = "description"
    /// Members of the answer that go into `userInfo`.
    public var userInfoKeys = ["screen", "item_id"]
    /// Seconds.
    public var limit: TimeInterval = 6
    /// Most bytes of an answer.
    public var maximumBytes = 64 * 1024

    /// The defaults.
    public init() {}
  }

  /// What the backend said.
  public struct Text: Hashable, Sendable {
    /// The notification's body; nil to leave it.
    public var body: String?
    /// For `userInfo`.
    public var userInfo: [String: String]
  }

  /// Why there is no text. None of these is a reason not to deliver.
  public enum Fault: Error, Hashable, Sendable {
    /// The push names no item, or none that may stand in a path.
    case noItem
    /// Nobody is logged in, or the phone has not been unlocked since it started.
    case noToken
    /// The same, or the app has not saved it.
    case noTenant
    /// The same; or it is no `https` URL, or the path's template is none.
    case noEndpoint
    /// The request failed.
    case download(DownloadFault)
    /// The answer is no JSON object with anything to use.
    case unreadable
  }

  /// One fetch under way.
  public struct Fetch: Sendable {
    fileprivate let exchange: FetchExchange?
    /// Gives up.
    public func cancel() { exchange?.cancel() }
  }

  /// Where, and what of the answer is used.
  public let options: Options
  private let credentials: @Sendable () -> SharedCredentials

  /// Asks `credentials` anew for each fetch, such as `{ SharedCredentials(suite: "group.com.example.chat") }`.
  public init(options: Options = Options(), credentials: @escaping @Sendable () -> SharedCredentials) {
    self.options = options
    self.credentials = credentials
  }

  /// Fetches an item's text. `tenant` is the push's, else the suite's counts. `completion` runs once, within the limit.
  @discardableResult
  public func fetch(
    itemID: String?, tenant: String?, completion: @escaping @Sendable (Result<Text, Fault>) -> Void
  ) -> Fetch {
    let order: FetchOrder
    switch self.order(itemID, tenant) {
    case .success(let found): order = found
    case .failure(let fault):
      completion(.failure(fault))
      return Fetch(exchange: nil)
    }
    let exchange = FetchSession.shared.fetch(order) { result in
      switch result {
      case .success(let answer): completion(text(answer.bytes))
      case .failure(let fault): completion(.failure(.download(fault)))
      }
    }
    return Fetch(exchange: exchange)
  }

  private func order(_ itemID: String?, _ tenant: String?) -> Result<FetchOrder, Fault> {
    guard let itemID, ItemEndpoint.isSafe(itemID) else { return .failure(.noItem) }
    let credentials = credentials()
    guard let token = credentials.token, Self.isToken(token) else { return .failure(.noToken) }
    guard let endpoint = ItemEndpoint(template: options.path) else { return .failure(.noEndpoint) }
    let tenant = tenant ?? credentials.tenant
    if endpoint.needsTenant {
      guard let tenant, ItemEndpoint.isSafe(tenant) else { return .failure(.noTenant) }
    }
    guard let base = credentials.baseURL, let url = endpoint.url(base: base, tenant: tenant, itemID: itemID)
    else { return .failure(.noEndpoint) }
    // No redirect: the token is for this host and nobody else's.
    return .success(
      FetchOrder(
        url: url, headers: ["Authorization": "Bearer \(token)", "Accept": "application/json"],
        maximumBytes: options.maximumBytes, maximumRedirects: 0, limit: options.limit,
        accepts: { $0 == "application/json" || $0.hasSuffix("+json") }))
  }

  private func text(_ bytes: Data) -> Result<Text, Fault> {
    guard let object = (try? JSONSerialization.jsonObject(with: bytes)) as? [String: Any] else {
      return .failure(.unreadable)
    }
    var userInfo: [String: String] = [:]
    for key in options.userInfoKeys { userInfo[key] = Self.text(object[key]) }
    let text = Text(body: Self.text(object[options.bodyKey]), userInfo: userInfo)
    return text.body == nil && userInfo.isEmpty ? .failure(.unreadable) : .success(text)
  }

  /// A text that is not blank, or a whole number.
  private static func text(_ value: Any?) -> String? {
    if let text = value as? String { return text.allSatisfy(\.isWhitespace) ? nil : text }
    guard let number = value as? NSNumber, !isTruth(number), number.doubleValue.rounded() == number.doubleValue,
      abs(number.doubleValue) < 9_007_199_254_740_992
    else { return nil }
    return String(number.int64Value)
  }

  /// By its encoding: to Swift's casts a 1 is a Bool as well.
  private static func isTruth(_ number: NSNumber) -> Bool {
    let encoding = UInt8(bitPattern: number.objCType.pointee)
    return encoding == UInt8(ascii: "c") || encoding == UInt8(ascii: "B")
  }

  /// Visible ASCII: no token can end its line of the request and begin another.
  private static func isToken(_ token: String) -> Bool {
    (1...8192).contains(token.utf8.count) && token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}

extension NotificationContentFetcher.Fault: CustomStringConvertible {
  /// A few words for a log.
  public var description: String {
    switch self {
    case .noItem: "the push names no item"
    case .noToken: "no token: logged out, no App Group, or not unlocked since the start"
    case .noTenant: "no tenant"
    case .noEndpoint: "no usable base URL or path"
    case .download(let fault): fault.description
    case .unreadable: "an answer without a text"
    }
  }
}

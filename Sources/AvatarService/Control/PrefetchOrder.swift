import AvatarCore

/// The body of `POST /v1/prefetch`.
struct PrefetchOrder: Decodable, Sendable {
  struct Avatar: Decodable, Sendable {
    var sources: [String]
    var fit: String?
  }
  var avatars: [Avatar]
  var wait: String?
  var refresh: Bool

  private enum Key: CodingKey { case avatars, urls, wait, refresh }

  init(from decoder: any Decoder) throws {
    let body = try decoder.container(keyedBy: Key.self)
    let urls = try body.decodeIfPresent([String].self, forKey: .urls)?.map { Avatar(sources: [$0]) }
    let listed = try body.decodeIfPresent([Avatar].self, forKey: .avatars)
    guard let avatars = listed ?? urls, listed == nil || urls == nil else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "exactly one of avatars and urls"))
    }
    self.avatars = avatars
    wait = try body.decodeIfPresent(String.self, forKey: .wait)
    refresh = try body.decodeIfPresent(Bool.self, forKey: .refresh) ?? false
  }
}

/// One avatar's part of the answer, with the contract's keys.
struct PrefetchResult: Encodable, Sendable {
  struct Failure: Encodable, Sendable {
    var code: String
    var retryAfter: Int64?
  }
  enum Status: String, Encodable, Sendable { case ready, pending, failed }
  var status: Status
  var avatarURL: String?
  var objectURL: String?
  var sha256: String?
  var bytes: Int?
  var width: Int?
  var source: Int?
  var cache: String?
  var freshUntil: String?
  var error: Failure?

  static func failed(_ error: AvatarError, avatarURL: String? = nil, remembered: Duration? = nil) -> Self {
    let wait = remembered ?? error.retryAfter
    return Self(
      status: .failed, avatarURL: avatarURL,
      error: Failure(code: error.code.rawValue, retryAfter: wait.map { max(1, $0.wholeSeconds) }))
  }
}

struct PrefetchAnswer: Encodable, Sendable {
  var avatars: [PrefetchResult]
}

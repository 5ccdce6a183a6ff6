public import AvatarCore

/// `POST /v1/purge`: what an operator takes out of the cache, here and in every process on the directory.
public struct Purger: Sendable {
  private let store: any AvatarStoring
  private let naming: SourceNaming
  private let names: any InternationalNames

  /// Purges `store`.
  public init(store: any AvatarStoring, naming: SourceNaming, names: any InternationalNames) {
    self.store = store
    self.naming = naming
    self.names = names
  }

  func reply(_ order: PurgeOrder) async -> HTTPReply {
    do throws(AvatarError) {
      let result = await store.purge(Purge(try scope(order), soft: order.soft ?? false))
      return JSONReply.make(PurgeAnswer(entries: result.entries, objects: result.objects))
    } catch {
      return Problem.reply(error)
    }
  }

  /// The cache keys of a source: with and without the identity rules, cropped and whole.
  public func keys(of url: SourceURL) -> [CacheKey] {
    var keys: [CacheKey] = []
    for fit in Fit.allCases {
      let source = naming.source(url, fit: fit, trusted: true)
      keys += source.key == source.exactKey ? [source.key] : [source.key, source.exactKey]
    }
    return keys
  }

  private func scope(_ order: PurgeOrder) throws(AvatarError) -> Purge.Scope {
    switch (order.sources, order.sha256, order.host) {
    case (let sources?, nil, nil):
      guard (1...256).contains(sources.count) else { throw AvatarError(.invalidRequest, "1 to 256 sources") }
      var keys: [CacheKey] = []
      for text in sources { keys += self.keys(of: try SourceURL(parsing: text, names: names)) }
      return .keys(keys)
    case (nil, let hex?, nil):
      guard let digest = Digest256(hex: hex) else { throw AvatarError(.invalidRequest, "sha256 is 64 hex digits") }
      return .object(ContentHash(digest))
    case (nil, nil, let pattern?):
      guard let pattern = HostPattern(pattern) else { throw AvatarError(.invalidRequest, "host is not a pattern") }
      return .host(pattern.text)
    default: throw AvatarError(.invalidRequest, "exactly one of sources, sha256 and host")
    }
  }
}

struct PurgeOrder: Decodable, Sendable {
  var sources: [String]?
  var sha256: String?
  var host: String?
  var soft: Bool?
}

private struct PurgeAnswer: Encodable {
  var entries: Int
  var objects: Int
}

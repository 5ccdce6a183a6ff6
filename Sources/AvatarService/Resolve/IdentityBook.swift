import AvatarCore
import Synchronization

/// Of all URLs seen for one identity: the one to fetch, which is the one that expires last, else the last seen.
final class IdentityBook: Sendable {
  private struct Page {
    var url: SourceURL
    var expiry: UnixTime?
  }
  private let pages: Mutex<SieveCache<CacheKey, Page>>

  /// Remembers URLs of at most `bytes` in all.
  init(bytes: Int) { pages = Mutex(SieveCache(capacity: bytes)) }

  /// Notes `url` as seen for `key` and gives the URL to fetch.
  func best(for key: CacheKey, seen url: SourceURL, expiry: UnixTime?) -> SourceURL {
    pages.withLock { pages in
      if let page = pages.lookup(key), let known = page.expiry, expiry.map({ $0 < known }) ?? true { return page.url }
      pages.insert(Page(url: url, expiry: expiry), for: key, cost: 3 * url.serialized.utf8.count + 256)
      return url
    }
  }

  /// Forgets a URL that the origin has refused, so that the next one seen is tried.
  func forget(_ url: SourceURL, for key: CacheKey) {
    pages.withLock { pages in
      if pages.lookup(key)?.url == url { pages.remove(key) }
    }
  }
}

import AvatarCore
import Testing

@Suite struct ConditionalRequestTests {
  static let etag = "\"5d41402abc4b2a76b9719d911017c592\""
  static let bare = "5d41402abc4b2a76b9719d911017c592"

  /// In the tables `§` stands for our whole tag and `#` for what is between its quotes.
  private static func spelled(_ field: String) -> String {
    field.reduce(into: "") { $0 += $1 == "§" ? etag : $1 == "#" ? bare : String($1) }
  }

  private func isNotModified(_ field: String) -> Bool {
    let request = ConditionalRequest(ifNoneMatch: Self.spelled(field), ifModifiedSince: nil)
    return request.isNotModified(etag: Self.etag, lastModified: Origin.now, now: Origin.now)
  }

  @Test(arguments: [
    "§", "W/§", "*", " * ", "\"x\", §", "\"x\",§,\"y\"", "\"x\" , W/§ , \"y\"", ", ,§", "\"a,b\", §",
    "\"a\\\", §",  // a backslash is a byte like any other
    "garbage, §", "Wgarbage, §", "W/garbage, §", "\t§\t", "\"\", §", "\"#x\", §", "\"ü\", §",
  ])
  func `If-None-Match finds our tag in a list, weakly`(field: String) {
    #expect(isNotModified(field), "\(field)")
  }

  @Test(arguments: [
    "#", "W/#", "w/§", "\"other\"", "\"#", "#\"", "\"#x\"", "\"x#\"", "\"x, #, y\"", "§x", "§§", "\"x\", *", "*, §",
    "**",
    "", " ", ",,,", "\"", "W", "W/", "\"5D41402ABC4B2A76B9719D911017C592\"", "\u{0}", "\u{0}§", "\"#\u{0}\"", "\"\"",
  ])
  func `If-None-Match passes over garbage and other tags`(field: String) {
    #expect(!isNotModified(field), "\(field)")
  }

  @Test(arguments: [
    (Origin.date(0), true), (Origin.date(1), true), (Origin.date(-1), false), ("Sun Nov  6 08:49:37 1994", true),
    ("Sunday, 06-Nov-94 08:49:37 GMT", true), ("Fri, 31 Dec 9999 23:59:59 GMT", true), ("", false), ("0", false),
    ("yesterday", false), (Origin.date(0) + ", " + Origin.date(0), false),
  ])
  func `If-Modified-Since compares whole seconds and ignores what is no date`(field: String, isNotModified: Bool) {
    let request = ConditionalRequest(ifNoneMatch: nil, ifModifiedSince: field)
    let changed = Origin.now + .milliseconds(999)
    #expect(request.isNotModified(etag: Self.etag, lastModified: changed, now: changed) == isNotModified, "\(field)")
    #expect(!request.isNotModified(etag: Self.etag, lastModified: nil, now: changed), "without our date: \(field)")
  }

  @Test(arguments: ["\"other\"", "garbage", ""])
  func `If-None-Match decides alone wherever it is present`(field: String) {
    let request = ConditionalRequest(ifNoneMatch: field, ifModifiedSince: Origin.date(99))
    #expect(!request.isNotModified(etag: Self.etag, lastModified: Origin.now, now: Origin.now), "\(field)")
  }

  @Test func `an unconditional request is never a 304`() {
    let request = ConditionalRequest(ifNoneMatch: nil, ifModifiedSince: nil)
    #expect(!request.isNotModified(etag: Self.etag, lastModified: Origin.now, now: Origin.now))
  }

  @Test func `our own weak tag matches too`() {
    let request = ConditionalRequest(ifNoneMatch: "\"x\", " + Self.etag, ifModifiedSince: nil)
    #expect(request.isNotModified(etag: "W/" + Self.etag, lastModified: nil, now: Origin.now))
  }
}

@Suite struct CacheStatusTests {
  @Test(
    arguments: [
      (.hit(ttl: 60), "avatar-server; hit; ttl=60"),
      (.hit(ttl: -5), "avatar-server; hit; ttl=-5"),
      (.hit(ttl: 7, detail: .originNotFound), "avatar-server; hit; ttl=7; detail=origin_not_found"),
      (.forwarded(.stale, status: 304), "avatar-server; fwd=stale; fwd-status=304"),
      (.forwarded(.uriMiss, status: 200, stored: true), "avatar-server; fwd=uri-miss; fwd-status=200; stored"),
      (.forwarded(.uriMiss, status: 200, collapsed: true), "avatar-server; fwd=uri-miss; fwd-status=200; collapsed"),
      (
        .forwarded(.uriMiss, detail: .originTimedOut), "avatar-server; fwd=uri-miss; detail=origin_timed_out"
      ),
      (.miss(detail: .notCached), "avatar-server; detail=not_cached"),
    ] as [(CacheStatus, String)])
  func `the value has the contract's forms`(status: CacheStatus, text: String) {
    #expect(status.fieldValue == text)
  }

  @Test func `an avatar from here is a plain hit and a remembered failure is not`() {
    #expect(CacheStatus.hit(ttl: -1).isPlainHit)
    #expect(!CacheStatus.hit(ttl: 1, detail: .originNotFound).isPlainHit)
    #expect(!CacheStatus.forwarded(.stale, status: 304).isPlainHit)
    #expect(!CacheStatus.miss(detail: .notCached).isPlainHit)
  }
}

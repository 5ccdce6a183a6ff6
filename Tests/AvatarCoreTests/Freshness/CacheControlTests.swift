import AvatarCore
import Testing

@Suite struct CacheControlTests {
  @Test(
    arguments: [
      ([], nil, nil),
      (["max-age=60"], 60, nil),
      (["MAX-AGE=60"], 60, nil),
      (["public, max-age=60"], 60, nil),
      (["public,max-age=60,immutable"], 60, nil),
      (["max-age=60", "s-maxage=10"], 60, 10),
      (["s-maxage=10, max-age=99"], 99, 10),
      (["max-age=\"60\""], 60, nil),
      (["max-age = 60"], 60, nil),
      (["max-age=60, max-age=30"], 30, nil),
      (["max-age=30", "max-age=60"], 30, nil),
      (["max-age=0060"], 60, nil),
      (["max-age=-5"], 0, nil),
      (["max-age=+5"], 0, nil),
      (["max-age=1.5"], 0, nil),
      (["max-age=60;public"], 0, nil),
      (["max-age=60 seconds"], 0, nil),
      (["max-age=abc"], 0, nil),
      (["max-age=٦٠"], 0, nil),
      (["max-age="], 0, nil),
      (["max-age"], 0, nil),
      (["max-age=\"60"], 0, nil),
      (["max-age=60, max-age=x"], 0, nil),
      (["max-age=99999999999999999999"], 1 << 31, nil),
      (["max-age=2147483648"], 1 << 31, nil),
      (["max-age=2147483647"], (1 << 31) - 1, nil),
      (["s-maxage=none"], nil, 0),
      (["x-max-age=60"], nil, nil),
      (["max-agent=60"], nil, nil),
      (["ext=\"max-age=5\""], nil, nil),
      (["ext=\"a\\\", max-age=5\", max-age=60"], 60, nil),
      ([",, ,max-age=60,,"], 60, nil),
      (["=60, max-age=60"], 60, nil),
      (["\"max-age=5\", max-age=60"], 60, nil),
      (["\t max-age=60\t"], 60, nil),
    ] as [([String], Int64?, Int64?)])
  func `numbers are read so that nonsense makes a life shorter`(values: [String], maxAge: Int64?, shared: Int64?) {
    let parsed = CacheControl(values)
    #expect(parsed.maxAge == maxAge, "\(values)")
    #expect(parsed.sharedMaxAge == shared, "\(values)")
    #expect(parsed.lifetime == shared ?? maxAge, "\(values)")
  }

  @Test(
    arguments: [
      (["no-store"], .noStore),
      (["No-Store, NO-CACHE"], [.noStore, .noCache]),
      (["private"], .isPrivate),
      (["private=\"set-cookie, x\""], .isPrivate),
      (["no-cache=\"x\""], .noCache),
      (["no-cache=x"], .noCache),
      (["must-revalidate, proxy-revalidate"], [.mustRevalidate, .proxyRevalidate]),
      (["must-revalidate", "private"], [.mustRevalidate, .isPrivate]),
      (["public, immutable, no-transform, must-understand, stale-if-error=5"], []),
      (["no-stores, xno-store, no-store-x, no_store"], []),
      (["ext=\"no-store, private\""], []),
      (["ext=\"no-store, private"], .isPrivate),  // never closed: what follows is not hidden
      (["no-cache=\"x, no-store"], [.noCache, .noStore]),
      (["no-store;private"], .noStore),
      (["no-store private"], .noStore),
      (["\u{0}, no-store"], .noStore),
      (["ä, no-store, \u{FFFD}"], .noStore),
      (["ext=\"\\"], []),
    ] as [([String], CacheDirectives)])
  func `directives are found wherever they can be meant`(values: [String], directives: CacheDirectives) {
    #expect(CacheControl(values).directives == directives, "\(values)")
  }

  @Test(arguments: [
    ("only-if-cached", true), ("max-stale=5, Only-If-Cached", true), ("only-if-cached=1", true), ("no-cache", false),
    ("only-if", false), ("\"only-if-cached\"", false),
  ])
  func `a request may ask for the cache alone`(value: String, isOnlyIfCached: Bool) {
    #expect(CacheControl([value]).isOnlyIfCached == isOnlyIfCached, "\(value)")
  }
}

@Suite struct RetryAfterTests {
  @Test(
    arguments: [
      ("120", 120), ("0", 0), ("99999999999999999999", 1 << 31), (Origin.date(90), 90), (Origin.date(-90), 0),
      (Origin.date(0), 0), ("Fri, 31 Dec 9999 23:59:59 GMT", 1 << 31), ("Sun Nov  6 08:50:37 1994", 60),
      ("", nil), ("-1", nil), ("1.5", nil), ("soon", nil), ("120 ", nil), ("120, 60", nil),
    ] as [(String, Int64?)])
  func `a number of seconds or a date says how long`(text: String, seconds: Int64?) {
    #expect(RetryAfter.parse(text, now: Origin.now) == seconds.map { .seconds($0) }, "\(text)")
  }
}

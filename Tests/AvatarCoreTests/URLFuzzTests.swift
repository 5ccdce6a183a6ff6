import AvatarCore
import AvatarNames
import Testing

@Suite("Whatever comes from outside")
struct URLFuzzTests {
  private static let seeds = [
    "http://example.com/a.png?x=1#y", "HTTPS://EXAMPLE.com:8443/%7Ea/../b", "http://bücher.test/łódź 测.png",
    "http://[2001:db8::ffff:1.2.3.4]:80/p?q", "http://127.0.0.1:65535/", "http://user:pass@h.example/\\",
    "https://b.s3.amazonaws.com/1?X-Amz-Date=20260101T000000Z&X-Amz-Expires=9&versionId=1", "//h/../x?y",
    "http://１２７。0.0.9./",
  ]
  private static let pieces = [
    "%", "%2", "%zz", "%2F", "/", "//", "..", "/./", "?", "#", "@", ":", "[", "]", "::", "\\", " ", "\t", "\0",
    "\u{7F}", "ü", "。", "０", "xn--", "0x",
    "&", "=", "*", ".", "\u{AD}", "℀", "-", "_", "\u{10FFFF}", "65536", "a",
  ]

  /// Mutations of URLs, by bytes and by pieces, under a fixed seed that a failure prints.
  private func mutants(seed: UInt64, count: Int, _ body: ([UInt8]) throws -> Void) rethrows {
    var random = SeededRandom(seed: seed)
    for _ in 0..<count {
      var bytes = Array(Self.seeds[random.below(Self.seeds.count)].utf8)
      for _ in 0...random.below(4) {
        let place = random.below(bytes.count + 1)
        switch random.below(4) {
        case 0: bytes.insert(contentsOf: Array(Self.pieces[random.below(Self.pieces.count)].utf8), at: place)
        case 1: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
        case 2 where place < bytes.count: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        default: bytes.removeSubrange(place..<min(bytes.count, place + random.below(4)))
        }
      }
      try body(bytes)
    }
  }

  @Test func `what parses is canonical: it parses to itself, is plain ASCII, and its parts make the whole`() throws {
    var parsed = 0
    try mutants(seed: 1, count: 20_000) { bytes in
      guard let url = try? SourceURL(parsingBytes: bytes, names: IDN2Names()) else { return }
      parsed += 1
      let context = Comment(rawValue: "seed 1: \(bytes) → \(url.serialized)")
      let again = try SourceURL(parsing: url.serialized, names: IDN2Names())
      try #require(again == url, context)
      try #require(again.host == url.host && again.port == url.port && again.pathAndQuery == url.pathAndQuery, context)
      try #require(
        url.serialized.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\\\"<>^`{|}#".utf8.contains($0) }, context)
      let port = url.hasDefaultPort ? "" : ":\(url.port)"
      try #require(url.serialized == "\(url.scheme.rawValue)://\(url.host.text)\(port)\(url.pathAndQuery)", context)
    }
    #expect(parsed > 2000, "the mutations must not all be refused")
  }

  @Test func `what a redirect gives is canonical too`() throws {
    let base = try SourceURL.sample("http://h.example/a/b?c")
    var followed = 0
    try mutants(seed: 2, count: 20_000) { bytes in
      let location = bytes.dropFirst(bytes.count % 3 == 0 ? 5 : 0)
      guard let next = try? base.redirected(to: location, names: IDN2Names()) else { return }
      followed += 1
      try #require(
        try SourceURL(parsing: next.serialized, names: IDN2Names()) == next, "seed 2: \(bytes) → \(next.serialized)")
    }
    #expect(followed > 2000, "the mutations must not all be refused")
  }

  @Test func `identity, expiry, locator and route take anything, and a locator's segment is a fixed point`() throws {
    let rules = IdentityRules(IdentityRules.defaults)
    try mutants(seed: 3, count: 10_000) { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      _ = PublicRoute(path: text, query: text)
      if let url = try? SourceURL(parsingBytes: bytes, names: IDN2Names()) {
        let identity = rules.identity(of: url)
        try #require(identity.utf8.count <= url.serialized.utf8.count, "seed 3: \(bytes)")
        try #require(try SourceURL.sample(identity).serialized == identity, "seed 3: \(bytes)")
        _ = rules.expiry(of: url)
      }
      for make in [
        { try AvatarLocator(decoding: Base64URL.encode(bytes), names: IDN2Names()) },
        { try AvatarLocator(query: "src=" + text, names: IDN2Names()) },
      ] {
        guard let locator = try? make() else { continue }
        try #require(try AvatarLocator(decoding: locator.segment, names: IDN2Names()) == locator, "seed 3: \(bytes)")
      }
    }
  }
}

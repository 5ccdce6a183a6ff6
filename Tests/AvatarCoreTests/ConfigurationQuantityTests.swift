import Testing

@testable import AvatarCore

struct ConfigurationQuantityTests {
  @Test(
    arguments: [
      ("250ms", 250), ("0s", 0), ("0ms", 0), ("5s", 5000), ("1.5s", 1500), ("0.25s", 250), ("10m", 600_000),
      ("24h", 86_400_000), ("30d", 2_592_000_000), ("100000d", 8_640_000_000_000), ("007s", 7000),
    ] as [(String, Int64)])
  func `a duration is a number and a unit`(text: String, milliseconds: Int64) {
    #expect(DurationText.parse(text) == .milliseconds(milliseconds), "\(text)")
  }

  @Test(arguments: [
    "", "5", "0", "s", "ms", "-5s", "+5s", "5 s", " 5s", "5s ", "5S", "5sec", "5us", "1h30m", "1.s", ".5s", "1.5ms",
    "1.2.3s",
    "0.0001s", "1e3s", "٥s", "５s", "100001d", "99999999999999999999s", "922337203685477580d", "5s\u{0}", "ⅷs", "inf",
    "∞s",
  ])
  func `anything else is no duration`(text: String) {
    #expect(DurationText.parse(text) == nil, "\(text)")
  }

  @Test(arguments: [
    ("0", 0), ("1", 1), ("512B", 512), ("12KiB", 12 << 10), ("10MiB", 10 << 20), ("1.5GiB", 3 << 29), ("0.5KiB", 512),
    ("1TiB", 1 << 40), ("8388607TiB", 8_388_607 << 40),
  ])
  func `a size is a number of bytes or has a binary unit`(text: String, bytes: Int) {
    #expect(ByteCountText.parse(text) == bytes, "\(text)")
  }

  @Test(arguments: [
    "", "B", "KiB", "-1", "+1", "10MB", "10M", "10 MiB", "10mib", "10kB", "1.5", "1.5B", "0.3KiB", "1e6", "8388608TiB",
    "9999999999999999999", "１MiB", "1MiB ", "0x10",
  ])
  func `anything else is no size`(text: String) {
    #expect(ByteCountText.parse(text) == nil, "\(text)")
  }

  @Test func `what is written reads back unchanged`() {
    var random = ConfigurationRandom(seed: 0x5EED_0001)
    for _ in 0..<5000 {
      let scale = [1, 1000, 60_000, 3_600_000, 86_400_000].randomElement(using: &random) ?? 1
      let duration = Duration.milliseconds(Int64.random(in: 0...10_000, using: &random) * Int64(scale))
      #expect(DurationText.parse(DurationText.format(duration)) == duration, "seed \(random.seed): \(duration)")
      let bytes = Int.random(in: 0...5000, using: &random) << Int.random(in: 0...40, using: &random)
      #expect(ByteCountText.parse(ByteCountText.format(bytes)) == bytes, "seed \(random.seed): \(bytes)")
    }
  }

  @Test(
    arguments: [
      (1500, "1500ms"), (4000, "4s"), (60_000, "60s"), (75_000, "75s"), (300_000, "5m"), (3_600_000, "1h"),
      (86_400_000, "24h"),
      (604_800_000, "7d"), (0, "0s"),
    ] as [(Int64, String)])
  func `durations are written as people say them`(milliseconds: Int64, text: String) {
    #expect(DurationText.format(.milliseconds(milliseconds)) == text)
  }

  @Test(arguments: [
    ("127.0.0.1:8080", "127.0.0.1:8080", true, false), ("localhost:0", "127.0.0.1:0", true, false),
    ("LOCALHOST:80", "127.0.0.1:80", true, false), ("[::1]:8080", "[::1]:8080", true, false),
    ("0.0.0.0:65535", "0.0.0.0:65535", false, true), ("[::]:80", "[::]:80", false, true),
    ("127.255.255.254:1", "127.255.255.254:1", true, false), ("128.0.0.1:1", "128.0.0.1:1", false, false),
    ("192.0.2.1:443", "192.0.2.1:443", false, false), ("[2001:db8::1]:443", "[2001:db8::1]:443", false, false),
  ])
  func `a side listens on an address and a port`(text: String, shown: String, isLoopback: Bool, isWildcard: Bool) {
    let address = ListenAddress(text)
    #expect(address?.description == shown, "\(text)")
    #expect(address?.isLoopback == isLoopback, "\(text)")
    #expect(address?.isWildcard == isWildcard, "\(text)")
  }

  @Test(arguments: ["[::ffff:127.0.0.1]:1", "[::ffff:0.0.0.0]:1"])
  func `mapped forms count as what they map`(text: String) throws {
    let address = try #require(ListenAddress(text), "\(text)")
    #expect(address.isLoopback != address.isWildcard, "\(text)")
  }

  @Test(arguments: [
    "", ":", "8080", ":8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1",
    "127.0.0.1:0x50",
    "127.1:80", "0177.0.0.1:80", "::1:80", "[::1]", "[127.0.0.1]:80", "[::1:80", "example.com:80", "*:80",
    "127.0.0.1:80 ",
    "http://127.0.0.1:80", "[fe80::1%eth0]:80",
  ])
  func `anything else is no place to listen`(text: String) {
    #expect(ListenAddress(text) == nil, "\(text)")
  }

  @Test(arguments: [
    ("fetch.maxByte", "fetch.maxBytes"), ("maxBytes", "cache.maxBytes"), ("FETCH_MAX_BYTES", "fetch.maxBytes"),
    ("lsten", "listen"), ("freshness.stalewhilerevalidate", "freshness.staleWhileRevalidate"),
    ("requestBugdet", "requestBudget"), ("loglevel", "log.level"),
  ])
  func `a near miss is recognized`(word: String, meant: String) {
    #expect(Spelling.nearest(to: word, among: ConfigurationKey.all.map(\.name)) == meant, "\(word)")
  }

  @Test(arguments: ["", "x", "colour", "fetch.somethingElse", String(repeating: "fetch.maxBytes", count: 1000)])
  func `a far miss is left alone`(word: String) {
    #expect(Spelling.nearest(to: word, among: ConfigurationKey.all.map(\.name)) == nil, "\(word.prefix(40))")
  }
}

/// SplitMix64: the same numbers for the same seed.
private struct ConfigurationRandom: RandomNumberGenerator {
  let seed: UInt64
  private var state: UInt64
  init(seed: UInt64) { (self.seed, state) = (seed, seed) }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

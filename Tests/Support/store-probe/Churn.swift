import AvatarCore
import AvatarCrypto
import AvatarStore

/// Random changes of a store, the same for the same seed: avatars kept, replaced, renewed, promised, removed and purged.
struct Churn {
  private let store: DiskStore
  private var random: Xorshift

  init(store: DiskStore, seed: UInt64) {
    self.store = store
    random = Xorshift(state: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
  }

  /// Does `count` changes; returns how many stores failed.
  consuming func run(_ count: Int) async -> Int {
    var failed = 0
    for _ in 0..<count {
      let name = Int.random(in: 0..<400, using: &random)
      switch Int.random(in: 0..<20, using: &random) {
      case 0: await store.remove(Self.key(name))
      case 1: _ = await store.purge(Purge(.host("h\(name % 20).example"), soft: Bool.random(using: &random)))
      case 2:
        if let loaded = await store.load(Self.key(name)) {
          store.pin(loaded.entry.object, until: RealClock().now + .seconds(2))
        }
      case 3: if await store.load(Self.key(name)) != nil { store.recordUse(Self.key(name)) }
      default:
        let jpeg = Self.object(Int.random(in: 0..<600, using: &random))
        let hash = ContentHash(OpenSSLHashing().sha256(jpeg))
        let entry = Entry(
          key: Self.key(name), source: "https://h\(name % 20).example/\(name).png?token=\(name)", object: hash,
          objectBytes: jpeg.count, metadata: OriginMetadata(receivedAt: RealClock().now), changedAt: RealClock().now)
        if await store.store(entry, object: jpeg, begun: store.epoch()) == .failed { failed += 1 }
      }
    }
    return failed
  }

  static func key(_ name: Int) -> CacheKey { CacheKey(OpenSSLHashing().sha256(Array("key \(name)".utf8))) }

  /// 1 to 20 KB that differ for every number.
  static func object(_ number: Int) -> [UInt8] {
    var random = Xorshift(state: UInt64(number) &* 0x2545_F491_4F6C_DD1D | 1)
    let words = Int.random(in: 128..<2560, using: &random)
    return (0..<words).flatMap { _ in
      let word = random.next()
      return (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
    }
  }
}

/// A small generator that gives the same numbers for the same seed (Marsaglia's xorshift64*).
struct Xorshift: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return state &* 0x2545_F491_4F6C_DD1D
  }
}

import AvatarCore
import AvatarCrypto
import Glibc
import Synchronization

@testable import AvatarStore

/// A directory of its own, removed with everything in it when it is let go.
final class Sandbox: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/avatar-store-test-XXXXXX\0".utf8CString)
    guard mkdtemp(&template) != nil else { throw StoreFault.errno("make a sandbox") }
    path = String(decoding: template.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit { try? FileCalls.removeTree(path) }

  var cache: String { path + "/cache" }
  var paths: StorePaths { StorePaths(directory: cache) }

  func options(maxBytes: Int = 1 << 30, clock: TestClock = TestClock(), log: EventLog = EventLog()) -> DiskStoreOptions
  {
    DiskStoreOptions(
      directory: cache, maxBytes: maxBytes, hashing: OpenSSLHashing(), clock: clock, log: log, scrubBytesPerSecond: 0)
  }

  /// Opens a store here.
  func open(maxBytes: Int = 1 << 30, clock: TestClock = TestClock(), log: EventLog = EventLog()) async -> DiskStore {
    await DiskStore.open(options(maxBytes: maxBytes, clock: clock, log: log))
  }

  /// The objects that are files here, by name, with what was allocated for each.
  func objects() throws -> [String: Int] {
    var found: [String: Int] = [:]
    for shard in try FileCalls.names(in: paths.objects) {
      for name in try FileCalls.names(in: paths.objects + "/" + shard) {
        found[name] = try FileCalls.status(paths.objects + "/" + shard + "/" + name)?.allocatedBytes
      }
    }
    return found
  }
}

/// A wall clock that stands still until it is moved.
final class TestClock: WallClock {
  private let time = Mutex(UnixTime(seconds: 1_700_000_000))
  var now: UnixTime { time.withLock { $0 } }
  func advance(by duration: Duration) { time.withLock { $0 = $0 + duration } }
}

/// Counts events and wakes those who wait for one.
final class EventLog: EventLogging {
  private struct State {
    var events: [String] = []
    var waiting: [(event: String, continuation: CheckedContinuation<Void, Never>)] = []
  }
  private let state = Mutex(State())

  func isEnabled(_ level: LogLevel) -> Bool { true }

  func log(_ level: LogLevel, _ event: StaticString, _ fields: [(StaticString, LogValue)]) {
    let text = "\(event)" + fields.map { " \($0.0)=\($0.1)" }.joined()
    let woken = state.withLock { state in
      state.events.append(text)
      let woken = state.waiting.filter { text.hasPrefix($0.event) }
      state.waiting.removeAll { text.hasPrefix($0.event) }
      return woken
    }
    for waiter in woken { waiter.continuation.resume() }
  }

  var events: [String] { state.withLock { $0.events } }
  func count(of event: String) -> Int { events.count { $0.hasPrefix(event) } }

  /// Waits until an event that begins with this text has come, before or after the call.
  func wait(for event: String) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.events.contains(where: { $0.hasPrefix(event) }) { return true }
        state.waiting.append((event, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }
}

/// Collects purges and wakes those who wait for one.
final class PurgeWitness: Sendable {
  private struct State {
    var purges: [Purge] = []
    var waiting: [(purge: Purge, continuation: CheckedContinuation<Void, Never>)] = []
  }
  private let state = Mutex(State())

  func note(_ purge: Purge) {
    let woken = state.withLock { state in
      state.purges.append(purge)
      let woken = state.waiting.filter { $0.purge == purge }
      state.waiting.removeAll { $0.purge == purge }
      return woken
    }
    for waiter in woken { waiter.continuation.resume() }
  }

  var purges: [Purge] { state.withLock { $0.purges } }

  func wait(for purge: Purge) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.purges.contains(purge) { return true }
        state.waiting.append((purge, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }
}

/// A small generator that gives the same numbers for the same seed (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// An avatar made up for tests: `number` decides its bytes, `size` how many there are.
struct Sample: Hashable, Sendable {
  var jpeg: [UInt8]
  var hash: ContentHash

  init(_ number: Int, size: Int = 3000) {
    var random = SeededRandom(state: UInt64(number))
    var bytes: [UInt8] = [0xFF, 0xD8, 0xFF]
    while bytes.count < size { withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) } }
    bytes.removeLast(bytes.count - size)
    jpeg = bytes
    hash = ContentHash(OpenSSLHashing().sha256(jpeg))
  }

  /// An entry of a key for this avatar.
  func entry(_ key: Int, host: String = "example.com", at time: UnixTime = UnixTime(seconds: 1_700_000_000)) -> Entry {
    Entry(
      key: Self.key(key), source: "https://\(host)/u/\(key).png?sig=secret\(key)", object: hash,
      objectBytes: jpeg.count,
      metadata: OriginMetadata(
        receivedAt: time, initialAge: 7, explicitLifetime: key.isMultiple(of: 2) ? 3600 : nil,
        directives: CacheDirectives(rawValue: UInt8(key % 32)),
        validators: Validators(
          etag: key.isMultiple(of: 3) ? "W/\"é\(key)\"" : nil,
          lastModified: Self.dates[key % Self.dates.count])),
      changedAt: time)
  }

  /// Dates in the form of RFC 9110, in others, and nonsense: each comes back as it was sent.
  private static let dates = [
    nil, "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Mon, 06 Nov 1994 08:49:37 GMT", "",
    "Fri, 31 Dec 9999 23:59:59 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", "yesterday",
  ]

  static func key(_ number: Int) -> CacheKey { CacheKey(OpenSSLHashing().sha256(Array("key \(number)".utf8))) }
}

extension DiskStore {
  /// Stores a sample under a key, as a flight that begins now.
  func keep(_ sample: Sample, as key: Int, host: String = "example.com") async -> StoreOutcome {
    await store(sample.entry(key, host: host), object: sample.jpeg, begun: epoch())
  }

  /// The bytes of all objects on disk at one moment: nothing is evicted and no room is taken while they are counted.
  func allocatedBytes(in sandbox: Sandbox) async -> Int {
    let bytes = Box(Int.max)
    await change { keeper in
      let counted = try? keeper.transact { _ throws(StoreFault) in
        do { return try sandbox.objects().values.reduce(0, +) } catch { throw StoreFault.errno("count") }
      }
      bytes.value.withLock { $0 = counted ?? .max }
    }
    return bytes.value.withLock { $0 }
  }

  /// Every entry that the listing gives.
  func all() async throws -> [ListedEntry] {
    let found = Box<[ListedEntry]>([])
    try await list { entry in
      found.value.withLock { $0.append(entry) }
      return true
    }
    return found.value.withLock { $0 }
  }
}

/// A value behind a lock, to be filled by a closure.
final class Box<Value: Sendable>: Sendable {
  let value: Mutex<Value>
  init(_ value: Value) { self.value = Mutex(value) }
}

/// A number out of the environment; nil if there is none.
func environmentNumber(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }

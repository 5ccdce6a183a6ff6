import AvatarCore
import Testing

@testable import AvatarStore

/// Random histories on the real store and on the model, which have to agree at every step.
@Suite struct ModelTests {
  /// `AVATAR_TEST_SEED` and `AVATAR_TEST_STEPS` repeat one history, or make a longer one.
  static let seeds: [UInt64] = environmentNumber("AVATAR_TEST_SEED").map { [UInt64($0)] } ?? [1, 2, 3]
  static let steps = environmentNumber("AVATAR_TEST_STEPS") ?? 1500

  @Test(arguments: seeds)
  func `the store does what a plain model of it does, whatever happens`(_ seed: UInt64) async throws {
    var history = try await History(seed: seed)
    for step in 0..<Self.steps {
      try await history.goOn(step)
      if step % 50 == 49 { try await history.compare(step) }
      // What follows a first difference says nothing new.
      if history.differs { break }
    }
    try await history.compare(Self.steps)
    await history.store.close()
  }
}

/// One random history.
private struct History {
  let seed: UInt64
  let sandbox: Sandbox
  let clock = TestClock()
  let maxBytes: Int
  var random: SeededRandom
  var store: DiskStore
  var model: StoreModel
  var differs = false
  /// Epochs that flights began with, and the purges after each.
  var flights: [(epoch: PurgeEpoch, purges: [Purge])] = []

  static let samples = (0..<40).map { Sample($0, size: 500 + ($0 * 1733) % 15_000) }

  init(seed: UInt64) async throws {
    self.seed = seed
    random = SeededRandom(state: seed)
    sandbox = try Sandbox()
    maxBytes = Int.random(in: 30_000..<200_000, using: &random)
    model = StoreModel(maxBytes: maxBytes)
    store = await sandbox.open(maxBytes: maxBytes, clock: clock)
  }

  mutating func expect(_ isSo: Bool, _ step: Int, _ what: String) {
    if !isSo { differs = true }
    #expect(isSo, "seed \(seed), step \(step): \(what)")
  }

  mutating func goOn(_ step: Int) async throws {
    let name = Int.random(in: 0..<60, using: &random)
    let key = Sample.key(name)
    let sample = Self.samples[Int.random(in: 0..<Self.samples.count, using: &random)]
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<40: await keep(step, name, sample)
    case 40..<55: await look(step, key)
    case 55..<60:
      let object = await store.object(sample.hash)
      expect(object?.bytes == (model.objects[sample.hash] == nil ? nil : sample.jpeg), step, "object \(sample.hash)")
      if object != nil { model.mark(sample.hash) }
      await store.flush()
    case 60..<70:
      store.recordUse(key)
      await store.flush()
      if let entry = model.entries[key] { model.mark(entry.object) }
    case 70..<76:
      let until = clock.now + .seconds(Int.random(in: -5..<60, using: &random))
      store.pin(sample.hash, until: until)
      await store.flush()
      model.pin(sample.hash, until: until, now: clock.now)
    case 76..<80:
      await store.remove(key)
      _ = model.remove(key)
    case 80..<85: await purge(step, name, sample)
    case 85..<88: try await hurt(step, sample)
    case 88..<90:
      await store.close()
      store = await sandbox.open(maxBytes: maxBytes, clock: clock)
    case 90..<94: flights.append((store.epoch(), []))
    default:
      clock.advance(by: .seconds(Int.random(in: 0..<20, using: &random)))
      await store.flush()
      model.endPins(now: clock.now)
    }
  }

  private mutating func keep(_ step: Int, _ name: Int, _ sample: Sample) async {
    var entry = sample.entry(name, host: "h\(name % 4).example", at: clock.now)
    if Int.random(in: 0..<8, using: &random) == 0 { entry.staleSince = clock.now }
    let isRenewal = Int.random(in: 0..<5, using: &random) == 0
    let flight = Bool.random(using: &random) ? flights.randomElement(using: &random) : nil
    let isCovered = flight?.purges.contains { $0.covers(entry) } ?? false
    let outcome = await store.store(
      entry, object: isRenewal ? nil : sample.jpeg, begun: flight?.epoch ?? store.epoch())
    let expected = model.store(entry, bytes: isRenewal ? nil : sample.jpeg.count, isCovered: isCovered)
    expect(outcome == expected, step, "store of key \(name): \(outcome), not \(expected)")
  }

  private mutating func look(_ step: Int, _ key: CacheKey) async {
    let loaded = await store.load(key)
    let expected = model.entries[key]
    expect(
      loaded?.entry == expected, step,
      "load of \(key): \(String(describing: loaded?.entry)), not \(String(describing: expected))")
    if let loaded {
      expect(Self.samples.contains { $0.hash == loaded.entry.object && $0.jpeg == loaded.jpeg.bytes }, step, "bytes")
    }
  }

  private mutating func purge(_ step: Int, _ name: Int, _ sample: Sample) async {
    let scope: Purge.Scope =
      switch Int.random(in: 0..<10, using: &random) {
      case 0: .everything
      case 1..<4: .object(sample.hash)
      case 4..<6: .host(Bool.random(using: &random) ? "h\(name % 4).example" : "*.example")
      default: .keys((0..<Int.random(in: 0..<4, using: &random)).map { Sample.key(name + $0) })
      }
    let purge = Purge(scope, soft: Bool.random(using: &random))
    let result = await store.purge(purge)
    let expected = model.purge(purge, now: clock.now)
    expect(result == expected, step, "\(purge): \(result), not \(expected)")
    for index in flights.indices { flights[index].purges.append(purge) }
  }

  private mutating func hurt(_ step: Int, _ sample: Sample) async throws {
    guard model.objects[sample.hash] != nil else { return }
    let path = sandbox.paths.object(sample.hash)
    try FileCalls.remove(path)
    if Bool.random(using: &random) { _ = try FileCalls.write(Array(sample.jpeg.prefix(100)), to: path) }
    expect(await store.object(sample.hash) == nil, step, "a damaged object is served")
    model.lose(sample.hash)
  }

  mutating func compare(_ step: Int) async throws {
    let listed = try await store.all()
    let entries = Dictionary(uniqueKeysWithValues: listed.map { ($0.entry.key, $0.entry) })
    expect(entries == model.entries, step, "entries")
    let files = try sandbox.objects()
    let expected = model.objects.map { ($0.key.digest.hex + ".jpg", $0.value.allocated) }
    expect(files == Dictionary(uniqueKeysWithValues: expected), step, "files \(files.count), not \(expected.count)")
    let statistics = store.statistics()
    expect(statistics.bytes == model.usedBytes && statistics.objects == model.objects.count, step, "\(statistics)")
    expect(statistics.entries == model.entries.count && statistics.bytes <= maxBytes, step, "\(statistics)")
    expect(try FileCalls.names(in: sandbox.paths.incoming).isEmpty, step, "temporary files")
  }
}

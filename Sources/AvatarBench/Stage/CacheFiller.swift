import AvatarCore
import AvatarCrypto
import AvatarStore
import CLinux
import Glibc

/// Fills a cache directory with avatars before a server opens it, through the store itself: hours of traffic in seconds.
struct CacheFiller {
  /// The directory's path.
  let directory: String
  /// A finished avatar, whose bytes every object has but for a comment.
  let avatar: [UInt8]

  /// Keeps avatars of `sources(0)` … `sources(count-1)`, fresh for a day, over so many different objects; returns when they are on disk.
  func fill(
    _ count: Int, objects: Int, source: @escaping @Sendable (Int) -> String
  ) throws(AvatarError) {
    let (directory, avatar) = (directory, avatar)
    // The store's port is asynchronous and this is a thread of the benchmark's own.
    let fault = AsyncWork.wait { () -> String? in
      let options = DiskStoreOptions(
        directory: directory, maxBytes: 1 << 40, hashing: OpenSSLHashing(), clock: MachineClock(), log: NoLog(),
        scrubBytesPerSecond: 0)
      let store = await DiskStore.open(options)
      var failed = 0
      let lanes = 64
      await withTaskGroup(of: Int.self) { group in
        for lane in 0..<lanes {
          group.addTask {
            var failed = 0
            for number in stride(from: lane, to: count, by: lanes) {
              if await !Self.keep(number, of: objects, avatar, source(number), in: store) { failed += 1 }
            }
            return failed
          }
        }
        for await part in group { failed += part }
      }
      await store.close()
      return failed == 0 ? nil : "\(failed) of \(count) avatars could not be stored in \(directory)"
    }
    if let fault { throw AvatarError(.internalFault, fault) }
  }

  private static func keep(
    _ number: Int, of objects: Int, _ avatar: [UInt8], _ source: String, in store: DiskStore
  ) async -> Bool {
    let jpeg = variant(number % objects, of: avatar)
    guard let key = try? SignedPaths.cacheKey(source) else { return false }
    let now = MachineClock().now
    let entry = Entry(
      key: key, source: source, object: ContentHash(OpenSSLHashing().sha256(jpeg)), objectBytes: jpeg.count,
      metadata: OriginMetadata(receivedAt: now, explicitLifetime: 86_400), changedAt: now)
    return await store.store(entry, object: jpeg, begun: store.epoch()) == .stored
  }

  /// The same picture as another object: a comment segment after the start of image says its number.
  private static func variant(_ number: Int, of avatar: [UInt8]) -> [UInt8] {
    let comment = (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    return Array(avatar[..<2]) + [0xFF, 0xFE, 0, 10] + comment + Array(avatar[2...])
  }

  private struct MachineClock: WallClock {
    var now: UnixTime {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      return UnixTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
  }

  private struct NoLog: EventLogging {
    func isEnabled(_ level: LogLevel) -> Bool { false }
    func log(_ level: LogLevel, _ event: StaticString, _ fields: [(StaticString, LogValue)]) {}
  }
}

import AvatarCore
import Synchronization

/// Compares files and index, a folder at a time, and reads files again in the background at a bounded rate.
///
/// Lives on the thread 'avatar-audit'. Changes nothing itself: findings go to the index's thread, which checks each again.
final class Auditor {
  /// Ticks a second; each may read a part of the rate.
  static let ticksPerSecond = 10
  /// From the end of one reading of everything to the next.
  private static let pauseMilliseconds: Int64 = 60_000

  let reader: IndexReader
  private let files: ObjectFiles
  private let shared: StoreShared
  private let bytesPerSecond: Int
  private let submit: @Sendable (ShardFindings, @escaping @Sendable () -> Void) -> Bool
  private var findings = ShardFindings()
  private let settling = SettlingFlag()
  private var auditsDone = 0
  private var comparing: Int?
  private var reading: Int?
  private var unread: [ContentHash] = []
  private var nextReading: Int64 = 0
  private var credit = 0

  /// `submit` has findings settled elsewhere, calls its second argument after that, and is false where it could not take them.
  init(
    reader: IndexReader, files: ObjectFiles, shared: StoreShared, bytesPerSecond: Int,
    submit: @escaping @Sendable (ShardFindings, @escaping @Sendable () -> Void) -> Bool
  ) {
    self.reader = reader
    self.files = files
    self.shared = shared
    self.bytesPerSecond = bytesPerSecond
    self.submit = submit
  }

  /// Compares one folder with the index; gives the objects that have both a row and a file too.
  func compare(_ shard: UInt8) throws(StoreFault) -> (findings: ShardFindings, present: [ContentHash], foreign: Int) {
    // Files before rows: a row comes before its file, so a file without one is not just being stored.
    let names = try FileCalls.names(in: files.paths.shard(shard))
    var rows = try reader.objects(inShard: shard)
    var findings = ShardFindings()
    var present: [ContentHash] = []
    var foreign = 0
    for name in names {
      guard let hash = files.paths.hash(named: name, in: shard) else {
        foreign += 1
        continue
      }
      if rows.remove(hash) != nil { present.append(hash) } else { findings.orphans.append(hash) }
    }
    findings.broken = Array(rows)
    return (findings, present, foreign)
  }

  /// Whether an object's file fits its name; a file that cannot be read at this moment is left for the next time.
  func isSound(_ hash: ContentHash) -> (sound: Bool, bytes: Int) {
    do throws(StoreFault) {
      if case .sound(let bytes) = try files.read(hash) { return (true, bytes.count) }
      return (false, 0)
    } catch {
      return (true, 0)
    }
  }

  /// One tick of the background work: findings settled, a part at a time; then a folder compared while an audit is wanted, then files read.
  func tick() {
    guard settleSome() else { return }
    do throws(StoreFault) {
      try compareNext()
      try readSome()
    } catch {
      shared.count { $0.failures += 1 }
      (comparing, reading, unread) = (nil, nil, [])
      nextReading = MonotonicMilliseconds.now + Self.pauseMilliseconds
    }
  }

  /// Hands a part of the findings over, one at a time; true once there are none left. So a directory that lost a million files is set right
  /// without keeping the index from its other work.
  private func settleSome() -> Bool {
    guard !settling.isUp.load(ordering: .acquiring) else { return false }
    guard !findings.isEmpty else { return true }
    let part = findings.takePart()
    // Into the page cache: they are read again under the write lock.
    for hash in part.orphans { _ = isSound(hash) }
    let flag = settling
    flag.isUp.store(true, ordering: .releasing)
    // A full queue means that the index has better things to do; the next audit finds the same.
    if !submit(part, { flag.isUp.store(false, ordering: .releasing) }) { flag.isUp.store(false, ordering: .releasing) }
    return false
  }

  private func compareNext() throws(StoreFault) {
    let wanted = shared.audits
    if comparing == nil, auditsDone < wanted {
      auditsDone = wanted
      comparing = 0
    }
    guard let shard = comparing else { return }
    findings.add(try compare(UInt8(shard)).findings)
    comparing = shard == 255 ? nil : shard + 1
  }

  private func readSome() throws(StoreFault) {
    guard bytesPerSecond > 0 else { return }
    credit = min(credit + bytesPerSecond / Self.ticksPerSecond, bytesPerSecond)
    while credit > 0 {
      if let hash = unread.popLast() {
        let (sound, bytes) = isSound(hash)
        credit -= max(bytes, 4096)
        if !sound { findings.broken.append(hash) }
      } else if let shard = reading {
        reading = shard == 255 ? nil : shard + 1
        let compared = try compare(UInt8(shard))
        unread = compared.present
        findings.add(compared.findings)
        credit -= 4096
        if reading == nil { nextReading = MonotonicMilliseconds.now + Self.pauseMilliseconds }
      } else if MonotonicMilliseconds.now >= nextReading {
        reading = 0
      } else {
        break
      }
    }
  }
}

/// Up while a part of the findings is being settled on the index's thread.
private final class SettlingFlag: Sendable {
  let isUp = Atomic(false)
}

public import AvatarCore
import Synchronization

/// An avatar in memory: its entry, its bytes, and the replies that were prepared from them.
public final class HotAvatar: Sendable {
  // In this order: what each hit touches stands together in memory.
  private let replies = Mutex(Replies())
  private let uses = Atomic<Int>(0)
  private let wasReached = Atomic<Bool>(false)
  private let shortcut = Mutex<Shortcut>(.none)
  /// The finished JPEG.
  public let jpeg: FixedBytes
  /// The quoted SHA-256: its strong validator.
  public let etag: String
  /// False where the origin forbids keeping it (`no-store`, `private`): in memory only, never on disk.
  public let isOnDisk: Bool
  /// What is known of it.
  public let entry: Entry

  /// An avatar from disk may never have one, and most others have one only: it is at hand without another look into memory.
  private struct Replies {
    var first: (index: Int, variant: PreparedVariant)?
    /// By index; empty until there is a second.
    var others: [PreparedVariant?] = []

    subscript(index: Int) -> PreparedVariant? {
      if let first, first.index == index { return first.variant }
      return others.isEmpty ? nil : others[index]
    }

    /// Gives what it replaced.
    mutating func set(_ index: Int, _ variant: PreparedVariant) -> PreparedVariant? {
      if first == nil || first?.index == index {
        defer { first = (index, variant) }
        return first?.variant
      }
      if others.isEmpty { others = Array(repeating: nil, count: ReplyVariant.count) }
      defer { others[index] = variant }
      return others[index]
    }
  }

  /// Wraps an entry and its verified bytes.
  public init(entry: Entry, jpeg: FixedBytes, isOnDisk: Bool) {
    self.entry = entry
    self.jpeg = jpeg
    self.isOnDisk = isOnDisk
    etag = "\"\(entry.object)\""
  }

  /// What it takes in the memory tier, in bytes: the picture, its headers and the table's own share.
  public var cost: Int { jpeg.count + 2048 }

  /// Notes one use and gives the number so far; what is popular is refreshed ahead.
  public func use() -> Int { uses.add(1, ordering: .relaxed).newValue }

  // MARK: - Past the tier's table

  /// Who reaches this avatar without a look into the tier's table, which takes several waits for memory.
  private enum Shortcut {
    case none
    case held(any AvatarHolding)
    /// It has left the tier, and is not to be reached that way again.
    case closed
  }

  /// Has `holder` hold it until it leaves the tier or `letGo(_:)` is called; `reply` is what the holder's hits are answered with. There is
  /// one holder at a time: where there is one already, and once it has left, nothing happens.
  func offer(to holder: any AvatarHolding, with reply: PreparedReply) {
    shortcut.withLock { shortcut in
      guard case .none = shortcut, holder.take(self, reply) else { return }
      shortcut = .held(holder)
    }
  }

  /// The holder holds it no more; another may.
  func letGo(_ holder: any AvatarHolding) {
    shortcut.withLock { shortcut in
      if case .held(let held) = shortcut, held === holder { shortcut = .none }
    }
  }

  /// It is out of the tier's table, whose lock is held.
  func leave() {
    let last = shortcut.withLock { shortcut in
      defer { shortcut = .closed }
      return shortcut
    }
    if case .held(let holder) = last { holder.release(self) }
  }

  /// Notes that its holder reached it, for the tier's table, which cannot see that.
  func noteReach() {
    // Not written again once set, so that a popular avatar's line is only read.
    if !wasReached.load(ordering: .relaxed) { wasReached.store(true, ordering: .relaxed) }
  }

  /// Whether its holder reached it since the tier last asked.
  func takeReach() -> Bool {
    wasReached.load(ordering: .relaxed) && wasReached.exchange(false, ordering: .relaxed)
  }

  // MARK: - Replies

  /// The prepared reply for `variant` if it is still true at `now`; a clock that went back behind its making has it made anew. `isPlain`
  /// asks for one whose use brings no refresh ahead.
  func prepared(_ variant: ReplyVariant, now: UnixTime, isPlain: Bool = false) -> PreparedReply? {
    replies.withLock { replies in
      guard let found = replies[variant.index], now >= found.madeAt,
        now < (isPlain ? found.plainUntil : found.validUntil)
      else { return nil }
      return found.reply
    }
  }

  /// Keeps a prepared reply until it is no longer true.
  func keep(_ prepared: PreparedVariant, for variant: ReplyVariant) {
    let replaced = replies.withLock { $0.set(variant.index, prepared) }
    _ = replaced  // Released outside the lock: its last release may free the adapter's response.
  }
}

/// Holds one avatar of the memory tier for as long as it is there.
protocol AvatarHolding: AnyObject, Sendable {
  /// Takes the avatar, and the reply that it mostly gives, in place of what it held; false if it holds none any more. Must not call the
  /// avatar back.
  func take(_ avatar: HotAvatar, _ reply: PreparedReply) -> Bool
  /// Forgets the avatar, if that is what it holds.
  func release(_ avatar: HotAvatar)
}

/// Which of the few forms of a hit's answer is meant.
public struct ReplyVariant: Hashable, Sendable {
  /// With a `?v=` that fits: immutable.
  public var immutable: Bool
  /// First of a chain: carries `Avatar-Source: 0`.
  public var inChain: Bool
  /// A 304.
  public var notModified: Bool

  /// Names a form.
  public init(immutable: Bool, inChain: Bool, notModified: Bool) {
    self.immutable = immutable
    self.inChain = inChain
    self.notModified = notModified
  }

  static let count = 8
  var index: Int { (immutable ? 1 : 0) + (inChain ? 2 : 0) + (notModified ? 4 : 0) }
}

/// A reply and when it is true.
struct PreparedVariant: Sendable {
  let reply: PreparedReply
  let madeAt: UnixTime
  let validUntil: UnixTime
  /// No later than `validUntil`; from then on a use may have to refresh the avatar ahead.
  let plainUntil: UnixTime

  init(_ reply: PreparedReply, madeAt: UnixTime, validFor: Duration, firstDueAhead: UnixTime) {
    self.reply = reply
    self.madeAt = madeAt
    validUntil = madeAt + validFor
    plainUntil = min(validUntil, firstDueAhead)
  }
}

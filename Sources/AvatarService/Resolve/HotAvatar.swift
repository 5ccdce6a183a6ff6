public import AvatarCore
import Synchronization

/// An avatar in memory: its entry, its bytes, and the replies that were prepared from them.
public final class HotAvatar: Sendable {
  /// What is known of it.
  public let entry: Entry
  /// The finished JPEG.
  public let jpeg: FixedBytes
  /// The quoted SHA-256: its strong validator.
  public let etag: String
  /// False where the origin forbids keeping it (`no-store`, `private`): in memory only, never on disk.
  public let isOnDisk: Bool

  private let uses = Atomic<Int>(0)
  /// Empty until the first is kept: an avatar from disk may never have one.
  private let replies = Mutex<[PreparedVariant?]>([])

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

  /// The prepared reply for `variant` if it is still true at `now`; a clock that went back behind its making has it made anew. `isPlain`
  /// asks for one whose use brings no refresh ahead.
  func prepared(_ variant: ReplyVariant, now: UnixTime, isPlain: Bool = false) -> PreparedReply? {
    replies.withLock { slots in
      guard !slots.isEmpty, let slot = slots[variant.index], now >= slot.madeAt,
        now < (isPlain ? slot.plainUntil : slot.validUntil)
      else { return nil }
      return slot.reply
    }
  }

  /// Keeps a prepared reply until it is no longer true.
  func keep(_ prepared: PreparedVariant, for variant: ReplyVariant) {
    let replaced = replies.withLock { slots in
      if slots.isEmpty { slots = Array(repeating: nil, count: ReplyVariant.count) }
      let old = slots[variant.index]
      slots[variant.index] = prepared
      return old
    }
    _ = replaced  // Released outside the lock: its last release may free the adapter's response.
  }
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

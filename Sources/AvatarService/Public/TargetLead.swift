import AvatarCore
import Synchronization

/// What a target leads to first: the sources that it names, and the avatar itself while that is in the memory tier.
///
/// `@unchecked Sendable`: as its base class; what changes is locked.
final class TargetLead: KnownTarget, AvatarHolding, @unchecked Sendable {
  /// The size of an object, about.
  static let bytes = 384

  /// An avatar, and what a hit reads from there on, one piece after the other.
  private struct Way {
    let avatar: HotAvatar
    private let ahead: (avatar: MemoryAhead, reply: MemoryAhead, body: MemoryAhead)

    init(_ avatar: HotAvatar, _ reply: PreparedReply) {
      self.avatar = avatar
      // A reply has its fields in itself. Of the body the beginning will do: the processor sees where it goes on.
      ahead = (
        MemoryAhead(avatar, bytes: 128), MemoryAhead(reply, bytes: 640), MemoryAhead(avatar.jpeg.owner, bytes: 576)
      )
    }

    func fetchAhead() {
      ahead.avatar.fetch()
      ahead.reply.fetch()
      ahead.body.fetch()
    }
  }

  private struct State {
    var way: Way?
    /// The memo has forgotten this target.
    var isOver = false
  }

  private let state = Mutex(State())
  /// The cache key of the first source.
  let key: CacheKey
  /// Whether more sources follow.
  let inChain: Bool
  /// The first 16 hexadecimal digits of the content that the URL was handed out for; nil without `?v=`.
  let version: String?
  /// The sources.
  let target: AvatarTarget

  /// `target` has one source at least.
  init(_ request: HTTPRequest, _ target: AvatarTarget) {
    self.target = target
    key = target.sources[0].key
    inChain = target.sources.count > 1
    version = PublicRoute.version(inQuery: request.query)
    super.init(target: Array(request.path.utf8) + (request.query.map { [UInt8(ascii: "?")] + $0.utf8 } ?? []))
  }

  /// About what it takes in memory, in bytes: a source is little more than its URL, which the target has in base64.
  var cost: Int { 2 * count + 768 }

  /// The avatar, if it is in the memory tier and was offered.
  var avatar: HotAvatar? {
    state.withLock { state in
      state.way?.fetchAhead()
      return state.way?.avatar
    }
  }

  func take(_ avatar: HotAvatar, _ reply: PreparedReply) -> Bool {
    let way = Way(avatar, reply)
    let (isTaken, old) = state.withLock { state in
      let old = state.way
      if !state.isOver { state.way = way }
      return (!state.isOver, old)
    }
    _ = old  // Released outside the lock.
    return isTaken
  }

  func release(_ avatar: HotAvatar) {
    let old = state.withLock { state in
      let old = state.way
      if old?.avatar === avatar { state.way = nil }
      return old
    }
    _ = old  // Released outside the lock.
  }

  /// The memo has forgotten it: it holds nothing from now on.
  func end() {
    let last = state.withLock { state in
      defer { state = State(way: nil, isOver: true) }
      return state.way
    }
    last?.avatar.letGo(self)
  }
}

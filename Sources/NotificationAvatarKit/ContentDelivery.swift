#if canImport(UserNotifications)
  public import UserNotifications

  /// Calls a notification's content handler exactly once, with the best content so far, whoever finishes or expires first.
  ///
  /// The handler runs on the thread that delivers, outside of every lock, and is let go of by then.
  public final class ContentDelivery: Sendable {
    private struct State {
      var handler: ((UNNotificationContent) -> Void)?
      var best: UNNotificationContent
    }

    private let state: Locked<State>

    /// Delivers to `handler`; `thin` is what there is from the start: the push as it came.
    public init(thin: UNNotificationContent, handler: @escaping (UNNotificationContent) -> Void) {
      state = Locked(State(handler: handler, best: thin))
    }

    /// Whether the handler has been called, or is being called.
    public var isDelivered: Bool { state.withLock { $0.handler == nil } }

    /// Better content than before, to be delivered by whoever comes first. Too late is without effect. The caller must not change it
    /// any more.
    public func improve(_ content: UNNotificationContent) {
      state.withLock { if $0.handler != nil { $0.best = content } }
    }

    /// Delivers `content`, or without it the best so far. Returns whether this call was the one.
    @discardableResult
    public func deliver(_ content: UNNotificationContent? = nil) -> Bool {
      let pending = state.withLock { state -> State in
        defer { state.handler = nil }
        return state
      }
      guard let handler = pending.handler else { return false }
      handler(content ?? pending.best)
      return true
    }
  }
#endif

#if canImport(UserNotifications)
  import UserNotifications

  /// What has arrived for one notification, and what is still awaited. A plain value: its owner guards it.
  struct EnrichmentState {
    /// What a notification is made of beside the push itself.
    enum Part: Hashable, Sendable { case sdk, text, picture }

    /// All that is known at one moment.
    struct Ingredients {
      var base: UNNotificationContent
      var text: NotificationContentFetcher.Text?
      var picture: AvatarPicture?
    }

    private(set) var awaited: Set<Part>
    private(set) var known: Ingredients
    /// Nothing counts any more: it is being delivered.
    private(set) var isClosed = false
    private(set) var download: AvatarDownload?
    private(set) var fetch: NotificationContentFetcher.Fetch?

    init(_ content: UNNotificationContent, awaiting parts: Set<Part>) {
      awaited = parts
      known = Ingredients(base: content)
    }

    var isComplete: Bool { awaited.isEmpty }

    /// Takes a part in; false if it is not awaited: it came before, or too late.
    mutating func take(_ part: Part, _ change: (inout Ingredients) -> Void) -> Bool {
      guard !isClosed, awaited.remove(part) != nil else { return false }
      change(&known)
      return true
    }

    /// Remembers what is under way; false if nobody waits for it any more, so that it must be cancelled.
    mutating func keep(_ download: AvatarDownload) -> Bool {
      self.download = download
      return !isClosed
    }

    /// The same for the text.
    mutating func keep(_ fetch: NotificationContentFetcher.Fetch) -> Bool {
      self.fetch = fetch
      return !isClosed
    }

    /// Takes nothing more. The first time, what was awaited; later nil.
    mutating func close() -> Set<Part>? {
      guard !isClosed else { return nil }
      isClosed = true
      return awaited
    }
  }
#endif

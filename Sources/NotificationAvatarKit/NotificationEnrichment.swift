#if canImport(UserNotifications)
  import Dispatch
  public import Foundation
  public import NotificationPayload
  public import UserNotifications

  /// One notification on its way through a service extension: its text is fetched, its avatar downloaded, another SDK may work on it, and
  /// the content handler is called exactly once with the best that there is by then.
  ///
  /// Make one in `didReceive(_:withContentHandler:)`, `start` it, and call `expire` in `serviceExtensionTimeWillExpire()`.
  public final class NotificationEnrichment: Sendable {
    /// How it is done.
    public struct Options: Sendable {
      /// Which fields of the payload mean what.
      public var rules = PayloadRules()
      /// How the picture is had.
      public var downloader = AvatarDownloader()
      /// How it is shown.
      public var processing = CommunicationNotificationProcessor.Options()
      /// How a thin push's text is had; nil for pushes that carry their own.
      public var contentFetcher: NotificationContentFetcher?
      /// Seconds that another SDK's own expiry may take.
      public var expiryLimit: TimeInterval = 0.5
      /// Gets the lines that say why an avatar did not show.
      public var log: @Sendable (String) -> Void = KitLog.system

      /// The defaults.
      public init() {}
    }

    /// What another SDK is called with: its own copy of the content, and the handler that takes its result.
    public typealias SDKCall = (UNMutableNotificationContent, @escaping (UNNotificationContent) -> Void) -> Void

    private let options: Options
    private let decision: PayloadDecision
    private let delivery: ContentDelivery
    private let processor: CommunicationNotificationProcessor
    private let state: Locked<EnrichmentState>
    /// One step at a time, so that what was made of less never replaces what was made of more.
    private let queue = DispatchQueue(label: "NotificationAvatarKit.enrichment", qos: .userInitiated)

    /// Reads the push. Nothing is started yet.
    public init(
      _ request: UNNotificationRequest, options: Options = Options(),
      contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
      let content = request.content
      self.options = options
      decision =
        PushPayload(userInfo: content.userInfo, title: content.title, body: content.body, rules: options.rules)
        .decision
      delivery = ContentDelivery(thin: content, handler: contentHandler)
      processor = CommunicationNotificationProcessor(options: options.processing, log: options.log)
      var parts: Set<EnrichmentState.Part> = []
      if !decision.avatars.isEmpty { parts.insert(.picture) }
      if options.contentFetcher != nil, decision.itemID != nil { parts.insert(.text) }
      state = Locked(EnrichmentState(content, awaiting: parts.union([.sdk])))
    }

    /// What the push says.
    public var payload: PayloadDecision { decision }

    /// Whether the picture has come by now.
    var knowsPicture: Bool { state.withLock { $0.known.picture != nil } }

    /// Starts, with no other SDK involved.
    public func start() {
      startDownloads()
      take(.sdk) { _ in }
    }

    /// Starts the downloads, then calls another SDK on this thread, which it may block: the downloads go on beside it.
    public func start(through sdk: SDKCall) {
      startDownloads()
      let thin = state.withLock { $0.known.base }
      guard let copy = thin.mutableCopy() as? UNMutableNotificationContent else {
        take(.sdk) { _ in }
        return
      }
      sdk(copy) { content in
        // Whoever holds the content after handing it over may go on changing it.
        let own = content.copy() as? UNNotificationContent
        self.take(.sdk) { $0.base = own ?? content }
      }
    }

    /// The system's time is up: ends the downloads, calls the other SDK's own expiry, then delivers the best content so far. `sdk` may
    /// return content to go on from. An SDK that does not come back in `expiryLimit` is not waited for.
    public func expire(_ sdk: () -> UNNotificationContent? = { nil }) {
      let limit = DispatchTime.now() + max(0, options.expiryLimit)
      DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: limit) { [self] in
        close("the system's time is up, and expiring hangs")
        delivery.deliver()
      }
      if let content = sdk()?.copy() as? UNNotificationContent {
        _ = state.withLock { $0.take(.sdk) { $0.base = content } }
      }
      close("the system's time is up")
      // Made from what is known now: a step for what came last may still be on its way.
      if !delivery.isDelivered { delivery.deliver(enriched(state.withLock { $0.known })) }
    }

    /// Takes nothing more and lets go of what is under way.
    private func close(_ reason: String) {
      let (missing, download, fetch) = state.withLock { ($0.close(), $0.download, $0.fetch) }
      download?.cancel()
      fetch?.cancel()
      if let missing, !missing.isEmpty {
        options.log("\(reason); without \(missing.map { "\($0)" }.sorted().joined(separator: ", "))")
      }
    }

    private func startDownloads() {
      if decision.kind != .other, decision.avatars.isEmpty { options.log("no avatar: the push names none") }
      let awaited = state.withLock { $0.awaited }
      if awaited.contains(.text), let fetcher = options.contentFetcher {
        let fetch = fetcher.fetch(itemID: decision.itemID, tenant: decision.tenant) { result in
          if case .failure(let fault) = result { self.options.log("text not fetched: \(fault)") }
          self.take(.text) { $0.text = try? result.get() }
        }
        if !state.withLock({ $0.keep(fetch) }) { fetch.cancel() }
      }
      if awaited.contains(.picture) {
        let download = options.downloader.download(decision.avatars) { outcome in
          for failure in outcome.failures {
            let host = AvatarAddress(failure.candidate.url)?.host ?? "?"
            self.options.log("no \(failure.candidate.role.rawValue) avatar from \(host): \(failure.fault)")
          }
          self.take(.picture) { $0.picture = outcome.picture }
        }
        if !state.withLock({ $0.keep(download) }) { download.cancel() }
      }
    }

    /// Takes a part in. With the last one the content is made, donated and delivered; before that, it is made for whoever expires.
    private func take(_ part: EnrichmentState.Part, _ change: (inout EnrichmentState.Ingredients) -> Void) {
      let isTaken = state.withLock { $0.take(part, change) }
      guard isTaken else { return }
      queue.async { self.step() }
    }

    private func step() {
      let (known, isComplete, isClosed) = state.withLock { ($0.known, $0.isComplete, $0.isClosed) }
      guard !isClosed else { return }
      delivery.improve(enriched(known))
      guard isComplete, state.withLock({ $0.close() }) != nil else { return }
      processor.process(text(known), decision, picture: known.picture) { content in
        self.delivery.deliver(content)
      }
    }

    /// What would be shown with what is known.
    private func enriched(_ known: EnrichmentState.Ingredients) -> UNNotificationContent {
      processor.updated(text(known), decision, picture: known.picture)
    }

    /// The content with the fetched text in it.
    private func text(_ known: EnrichmentState.Ingredients) -> UNNotificationContent {
      guard let text = known.text, let copy = known.base.mutableCopy() as? UNMutableNotificationContent else {
        return known.base
      }
      if let body = text.body { copy.body = body }
      for (key, value) in text.userInfo { copy.userInfo[key] = value }
      return copy
    }
  }
#endif

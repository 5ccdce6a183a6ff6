import AvatarCore

/// One fetch on its way through look-ups, the queue and its hops. Confined to the loop thread.
final class Exchange {
  /// Where it is.
  enum Stage {
    case arrived
    case lookingUp(since: ContinuousClock.Instant)
    case queued
    case running(CurlEasy, since: ContinuousClock.Instant)
  }

  let id: UInt64
  let submission: Mailbox.Submission
  let began: ContinuousClock.Instant
  var stage = Stage.arrived
  /// This hop's URL.
  var url: SourceURL
  /// Redirects followed.
  var redirects = 0
  /// This host's allowed addresses; nil for a literal host and behind a proxy.
  var addresses: [IPAddress]?
  /// Whether it holds a place in the waiting room, and of which host.
  var place: Host?
  /// Time spent on look-ups and hops; waiting for a slot left out.
  var spent = Duration.zero
  /// Whether content encodings are left alone because the origin lied about one.
  var takesBodyAsItIs = false
  /// Whether this hop met a connection that could not be trusted.
  var needsNewConnection = false
  /// When this hop's request was handed to libcurl.
  var requestedAt: UnixTime

  init(id: UInt64, _ submission: Mailbox.Submission, now: ContinuousClock.Instant, wallTime: UnixTime) {
    self.id = id
    self.submission = submission
    began = now
    url = submission.request.url
    requestedAt = wallTime
  }

  /// Validators worth sending; nil for a plain GET.
  var validators: Validators? { submission.request.validators.flatMap { $0.isEmpty ? nil : $0 } }
  /// Whether somebody watches.
  var isTraced: Bool { submission.request.trace != nil }

  /// Reports a step; costs nothing where nobody watches.
  func trace(_ kind: String, _ facts: @autoclosure () -> [(name: String, value: String)]) {
    guard let trace = submission.request.trace else { return }
    trace(FetchStep(kind: kind, at: .now - began, facts: facts()))
  }

  /// The request for this hop.
  func hop(_ options: FetchOptions, now: ContinuousClock.Instant) -> Hop {
    Hop(
      url: url, addresses: addresses,
      fields: RequestFields.lines(for: url.host, validators: validators, options: options),
      timeout: submission.deadline - now, connectTimeout: options.connectTimeout,
      decodesContent: !takesBodyAsItIs, needsNewConnection: needsNewConnection, isTraced: isTraced)
  }
}

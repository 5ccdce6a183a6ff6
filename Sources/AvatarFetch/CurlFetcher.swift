public import AvatarCore

/// Fetches from origins with libcurl: one thread, any number of exchanges up to the limit, connections reused, HTTP/2 where offered.
///
/// What holds on every hop: the URL is what our parser wrote; the host passes the host policy; every address that a connection is made
/// to passes the address policy at the moment of connecting; certificates are verified (TLS 1.2 and up); no cookie, credential or proxy
/// from outside the options is ever used; every size, number and time has a bound.
public final class CurlFetcher: OriginFetching {
  private let options: FetchOptions
  private let mailbox: Mailbox

  /// Starts the loop thread, `avatar-fetch`. Throws `internal` if the system refuses a thread or libcurl a handle, or where an option
  /// could not go out as it is.
  public convenience init(
    options: FetchOptions, names: any InternationalNames, clock: any WallClock
  ) throws(AvatarError) {
    try self.init(options: options, names: names, clock: clock, lookup: .system(patience: options.connectTimeout))
  }

  init(
    options: FetchOptions, names: any InternationalNames, clock: any WallClock, lookup: any NameLookup
  ) throws(AvatarError) {
    if let field = options.firstUnsendableField {
      throw AvatarError(.internalFault, "the request field \(field) is not one header line")
    }
    let multi = try CurlMulti(connections: options.concurrency)
    let mailbox = Mailbox(multi: multi)
    // An option that libcurl refuses is found at the start.
    _ = try CurlEasy(options: options, clock: clock, book: multi.book)
    // A large body's bytes do not go before a hit; while hits take a whole core, a tenth of it is left for fetches.
    let isRunning = NamedThread.start("avatar-fetch", urgency: .patient) {
      FetchLoop(options: options, names: names, clock: clock, lookup: lookup, mailbox: mailbox, multi: multi).run()
    }
    guard isRunning else { throw AvatarError(.internalFault, "no thread for the fetch loop") }
    self.options = options
    self.mailbox = mailbox
  }

  deinit { mailbox.close() }

  /// The port's promise (`OriginFetching`). Ends within `totalTimeout`, the wait for a slot included, whatever the origin does.
  ///
  /// A fetch that found no slot in time is `origin_timed_out` where its own host's earlier requests held all the slots that one host may
  /// have, else `overloaded`. Cancelling the calling task does not end it: an exchange outlives whoever began it.
  public func fetch(_ request: OriginRequest) async throws(AvatarError) -> OriginResponse {
    let deadline = ContinuousClock.now + options.totalTimeout
    let result = await withCheckedContinuation { continuation in
      let letter = Mailbox.Submission(request: request, deadline: deadline, continuation: continuation)
      if !mailbox.post(.fetch(letter)) {
        continuation.resume(returning: .failure(AvatarError(.overloaded, "the service is ending")))
      }
    }
    return try result.get()
  }

  /// What is going on and has been, as of the loop's last turn.
  public var statistics: FetchStatistics { mailbox.statistics }

  /// Ends the loop; whatever is on its way, and whatever comes after, is `overloaded`. Returns at once.
  public func close() { mailbox.close() }
}

import AvatarCore

// What clocks and limits end.
extension FetchLoop {
  /// How long a body that nobody wants may take, so that its connection can be used again.
  private static let discardTimeout = Duration.milliseconds(250)

  /// Ends what has waited too long: in a look-up, in the queue, in a silent body.
  func sweep() {
    let now = ContinuousClock.now
    guard now - lastSweep >= .milliseconds(Self.sweepMilliseconds) else { return }
    lastSweep = now
    for exchange in exchanges.values {
      switch exchange.stage {
      case .arrived:
        break
      case .lookingUp(let since):
        if now - since >= options.connectTimeout || now >= exchange.submission.deadline { abandonLookup(exchange) }
      case .queued:
        if now >= exchange.submission.deadline { abandonQueue(exchange) }
      case .running(let easy, _):
        if isSilent(easy.sink, now) {
          multi.remove(easy)
          end(easy, CurlCode.timedOut)
        }
      }
    }
  }

  private func isSilent(_ sink: AnswerSink, _ now: ContinuousClock.Instant) -> Bool {
    guard let head = sink.headInstant, let last = sink.lastReceipt else { return false }
    return sink.plan == .discard ? now - head >= Self.discardTimeout : now - last >= options.idleTimeout
  }

  private func abandonLookup(_ exchange: Exchange) {
    guard case .name(let name) = exchange.url.host else { preconditionFailure("only names are looked up") }
    exchange.spent += elapsed(in: exchange)
    if table.abandon(name, by: exchange.id) {
      fail(exchange, .originTimedOut, "the look-up of \(name) takes too long")
    } else {
      // Nobody has been asked yet: the look-ups before it are what hangs.
      finish(exchange, .failure(AvatarError(.overloaded, "too many look-ups hang", retryAfter: .seconds(1))))
    }
  }

  private func abandonQueue(_ exchange: Exchange) {
    let host = exchange.url.host
    _ = queue.remove(exchange.id, from: host)
    if queue.isFull(host) {
      // The host had as many requests as it may have, for all this time: it is the host that does not answer.
      fail(exchange, .originTimedOut, "\(host.text) is busy with earlier requests")
    } else {
      finish(exchange, .failure(AvatarError(.overloaded, "no slot in time", retryAfter: .seconds(1))))
    }
  }
}

public import AvatarCore
import NotificationPayload

/// Reads a push payload, has its avatars made, and gives the payload back with their URLs in it. (Contract, section 5.)
public struct NotificationsEndpoint: Sendable {
  private let prefetcher: Prefetcher
  private let rules: PayloadRules

  /// Reads payloads as the configuration says.
  public init(prefetcher: Prefetcher, payload: Configuration.Payload) {
    self.prefetcher = prefetcher
    rules = PayloadRules(payload)
  }

  /// The answer to a call: 200 when every avatar is settled, else 202. `longest` bounds `wait`.
  func reply(_ body: [UInt8], longest: Duration) async -> HTTPReply {
    do throws(AvatarError) {
      let order = try NotificationsOrder(body)
      let wait = try Prefetcher.wait(order.wait, longest: longest)
      guard let payload = PushPayload(json: order.payload, rules: rules) else {
        throw AvatarError(.invalidRequest, "the payload is too large")
      }
      let candidates = payload.decision.avatars
      let results = try await prefetcher.prefetch(jobs(payload.decision), wait: wait, refresh: false)
      let offers = Self.offers(candidates, results)
      let fitted = payload.fitted(prefersObjects: order.prefers == .object) { offers[$0.url] ?? PushPayload.Offer() }
      let answer = NotificationsAnswer(
        avatars: zip(candidates, results).map { NotificationsAnswer.Avatar(role: $0.role, result: $1) },
        decision: NotificationsAnswer.Decision(decision: payload.decision),
        sizes: NotificationsAnswer.Sizes(fitted.sizes))
      let isSettled = results.allSatisfy { $0.status != .pending }
      return Self.spliced(fitted.json, JSONReply.make(answer, status: isSettled ? 200 : 202))
    } catch {
      return Problem.reply(error)
    }
  }

  /// One avatar a candidate. A group's or an event's carries the chain to the sender; a source that is none is left out of it.
  private func jobs(_ decision: PayloadDecision) -> [Result<AvatarLocator, AvatarError>] {
    let sources = decision.avatars.map { source($0.url) }
    return decision.avatars.indices.map { index in
      let chain = decision.avatars[index].role == .sender ? sources[index...index] : sources[index...]
      let usable = chain.compactMap { try? $0.get() }.prefix(prefetcher.settings.maximumSources)
      guard usable.isEmpty else {
        return .success(AvatarLocator(sources: Array(usable), fit: decision.kind == .forum ? .contain : .cover))
      }
      return sources[index].flatMap { .success(AvatarLocator(sources: [$0], fit: .cover)) }
    }
  }

  private func source(_ url: String) -> Result<SourceURL, AvatarError> {
    do throws(AvatarError) {
      return .success(try SourceURL(parsing: url, names: prefetcher.names))
    } catch {
      return .failure(error)
    }
  }

  /// What may stand in the payload for each candidate's URL: nothing where the avatar failed for good. A group's picture that failed
  /// for good stays as long as the sender's, to which its chain leads, may yet come.
  private static func offers(_ candidates: [AvatarCandidate], _ results: [PrefetchResult]) -> [String: PushPayload
    .Offer]
  {
    var offers: [String: PushPayload.Offer] = [:]
    for index in candidates.indices {
      let chain = candidates[index].role == .sender ? results[index...index] : results[index...]
      guard !chain.allSatisfy(\.hasFailedForGood) else { continue }
      offers[candidates[index].url] = PushPayload.Offer(
        avatarURL: results[index].avatarURL, objectURL: results[index].objectURL)
    }
    return offers
  }

  /// The answer's object with the payload's own text as its first member.
  private static func spliced(_ payload: [UInt8], _ reply: HTTPReply) -> HTTPReply {
    guard reply.status < 300 else { return reply }
    var reply = reply
    reply.body = FixedBytes(
      Array("{\"payload\":".utf8) + payload + [UInt8(ascii: ",")] + reply.body.bytes.dropFirst())
    return reply
  }
}

extension PrefetchResult {
  /// Whether asking again is no use: the source is refused, gone or no picture.
  fileprivate var hasFailedForGood: Bool {
    guard status == .failed, let code = error.flatMap({ AvatarError.Code(rawValue: $0.code) }) else { return false }
    return [400, 403, 404, 422].contains(code.status)
  }
}

extension PayloadRules {
  /// The rules that a configuration sets.
  init(_ configuration: Configuration.Payload) {
    var given: [PayloadKeys.Field: [String]] = [:]
    for (name, paths) in configuration.keys {
      if let field = PayloadKeys.Field(rawValue: name) { given[field] = paths }
    }
    self.init(
      keys: PayloadKeys(given),
      chatTypes: configuration.chatTypes.compactMapValues { ChatType(rawValue: $0.rawValue) })
  }
}

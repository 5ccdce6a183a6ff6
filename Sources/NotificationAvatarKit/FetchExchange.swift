import Dispatch
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One GET: what is asked, and how much of an answer is taken.
struct FetchOrder: Sendable {
  var url: URL
  var headers: [String: String] = [:]
  var maximumBytes: Int
  var maximumRedirects: Int
  /// Seconds, to the last byte.
  var limit: TimeInterval
  /// Whether a `Content-Type`, in lower case and without parameters, is one that is wanted.
  var accepts: @Sendable (String) -> Bool
}

/// What came of it.
struct FetchAnswer: Sendable {
  var bytes: Data
  /// As it came, quotes and all.
  var entityTag: String?
}

/// One GET under way. It settles once: with an answer, with the first fault, or when its own timer ends it.
final class FetchExchange: Sendable {
  typealias Completion = @Sendable (Result<FetchAnswer, DownloadFault>) -> Void

  private struct State: Sendable {
    var completion: Completion?
    var task: URLSessionTask?
    var bytes = Data()
    var redirects = 0
    var entityTag: String?
    var expected: Int64 = -1
    /// The session waits for a decision: the task must not be cancelled under it.
    var isDeciding = false
  }

  let order: FetchOrder
  private let state: Locked<State>
  private let onSettled: @Sendable (URLSessionTask) -> Void

  init(
    _ order: FetchOrder, onSettled: @escaping @Sendable (URLSessionTask) -> Void, completion: @escaping Completion
  ) {
    self.order = order
    self.onSettled = onSettled
    state = Locked(State(completion: completion))
  }

  /// Sends the request. A `URLSession` keeps its own time by seconds at best, and not everywhere: this timer is the one that counts.
  func start(_ task: URLSessionTask) {
    state.withLock { $0.task = task }
    DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: .now() + max(0, order.limit)) { [weak self] in
      self?.settle(.failure(.timedOut))
    }
    task.resume()
  }

  /// Gives up. Without effect once it is settled.
  func cancel() { settle(.failure(.cancelled)) }

  /// Ends it. The first call counts; its completion runs away from the session's queue, which serves the other exchanges.
  func settle(_ result: Result<FetchAnswer, DownloadFault>) {
    let (completion, task) = state.withLock { state -> (Completion?, URLSessionTask?) in
      defer {
        state.completion = nil
        state.bytes = Data()
      }
      if state.isDeciding { return (state.completion, nil) }
      defer { state.task = nil }
      return (state.completion, state.task)
    }
    if let task { letGo(task) }
    guard let completion else { return }
    DispatchQueue.global(qos: .userInitiated).async { completion(result) }
  }

  private func letGo(_ task: URLSessionTask) {
    onSettled(task)
    task.cancel()
  }

  // MARK: What the session tells

  /// Makes a decision that the session waits for, and tells it by `answer`. False if it is settled and nobody waits any more.
  ///
  /// Foundation on Linux ends the program where a task is cancelled before its decision has come, so that a cancellation waits.
  func decide(_ decision: () -> Bool, answer: (Bool) -> Void) -> Bool {
    let isOpen = state.withLock { state -> Bool in
      state.isDeciding = state.completion != nil
      return state.isDeciding
    }
    guard isOpen else { return false }
    answer(decision())
    let task = state.withLock { state -> URLSessionTask? in
      state.isDeciding = false
      guard state.completion == nil else { return nil }
      defer { state.task = nil }
      return state.task
    }
    if let task { letGo(task) }
    return true
  }

  /// Whether to go on to where a redirect leads. `from` and `to` are the hop's two ends.
  func follows(from: URL?, to: URL?) -> Bool {
    let count = state.withLock { state -> Int in
      state.redirects += 1
      return state.redirects
    }
    let isDowngrade = from?.scheme?.lowercased() == "https" && to?.scheme?.lowercased() == "http"
    guard let to, AvatarAddress.isAllowed(to), !isDowngrade, count <= order.maximumRedirects else {
      settle(.failure(.redirect))
      return false
    }
    return true
  }

  /// Whether to go on after an answer's head.
  func admits(_ response: URLResponse) -> Bool {
    guard let response = response as? HTTPURLResponse else {
      settle(.failure(.wrongType))
      return false
    }
    if let fault = fault(of: response) {
      settle(.failure(fault))
      return false
    }
    state.withLock { state in
      state.entityTag = response.value(forHTTPHeaderField: "ETag")
      state.expected = response.expectedContentLength
    }
    return true
  }

  private func fault(of response: HTTPURLResponse) -> DownloadFault? {
    guard response.statusCode == 200 else {
      // A redirect that got this far was refused, or had nowhere to lead.
      return (301...308).contains(response.statusCode) ? .redirect : .status(response.statusCode)
    }
    let type = response.value(forHTTPHeaderField: "Content-Type") ?? ""
    let essence = type.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    guard order.accepts(essence) else { return .wrongType }
    return response.expectedContentLength > Int64(order.maximumBytes) ? .tooLarge : nil
  }

  /// More bytes of the body.
  func take(_ bytes: Data) {
    let isTooMuch = state.withLock { state -> Bool in
      guard state.completion != nil else { return false }
      guard state.bytes.count + bytes.count <= order.maximumBytes else { return true }
      state.bytes.append(bytes)
      return false
    }
    if isTooMuch { settle(.failure(.tooLarge)) }
  }

  /// The answer's end, or what came between.
  func finish(_ error: (any Error)?) {
    if let error {
      settle(.failure(Self.fault(of: error)))
      return
    }
    let (answer, expected) = state.withLock {
      (FetchAnswer(bytes: $0.bytes, entityTag: $0.entityTag), $0.expected)
    }
    if answer.bytes.isEmpty {
      settle(.failure(expected > 0 ? .truncated : .empty))
    } else if expected > Int64(answer.bytes.count) {
      settle(.failure(.truncated))
    } else {
      settle(.success(answer))
    }
  }

  private static func fault(of error: any Error) -> DownloadFault {
    let error = error as NSError
    switch error.code {
    case NSURLErrorTimedOut: return .timedOut
    case NSURLErrorCancelled: return .cancelled
    case NSURLErrorNetworkConnectionLost: return .truncated
    case NSURLErrorAppTransportSecurityRequiresSecureConnection: return .transportSecurity
    case NSURLErrorUnsupportedURL, NSURLErrorHTTPTooManyRedirects, NSURLErrorRedirectToNonExistentLocation:
      return .redirect
    default: return .unreachable(error.code)
    }
  }
}

import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The one URL session of the process. It keeps no cookies, no cache and no credentials, and asks no proxy for a password.
final class FetchSession: Sendable {
  static let shared = FetchSession()

  private let delegate = FetchDelegate()
  private let session: URLSession

  private init() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.urlCredentialStorage = nil
    // An exchange's own timer is the limit; this only ends what nobody waits for any more.
    configuration.timeoutIntervalForRequest = 30
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.name = "NotificationAvatarKit.session"
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
  }

  /// Sends the request; `completion` runs once, on a queue of its own.
  func fetch(_ order: FetchOrder, completion: @escaping FetchExchange.Completion) -> FetchExchange {
    var request = URLRequest(url: order.url)
    for (name, value) in order.headers { request.setValue(value, forHTTPHeaderField: name) }
    let task = session.dataTask(with: request)
    let delegate = delegate
    let exchange = FetchExchange(order, onSettled: { delegate.forget($0) }, completion: completion)
    delegate.remember(exchange, for: task)
    exchange.start(task)
    return exchange
  }
}

/// Passes the session's calls on to the exchange that they are about.
private final class FetchDelegate: NSObject, URLSessionDataDelegate, Sendable {
  private let exchanges = Locked<[Int: FetchExchange]>([:])

  func remember(_ exchange: FetchExchange, for task: URLSessionTask) {
    exchanges.withLock { $0[task.taskIdentifier] = exchange }
  }

  func forget(_ task: URLSessionTask) {
    exchanges.withLock { $0[task.taskIdentifier] = nil }
  }

  private func exchange(_ task: URLSessionTask) -> FetchExchange? {
    exchanges.withLock { $0[task.taskIdentifier] }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    let exchange = exchange(task)
    let isDecided = exchange?.decide({ exchange?.follows(from: response.url, to: request.url) == true }) {
      completionHandler($0 ? request : nil)
    }
    if isDecided != true { answerCancelled { completionHandler(nil) } }
  }

  /// Answers for a task that has been cancelled. Foundation on Linux has forgotten the question, and ends the program on an answer.
  private func answerCancelled(_ answer: () -> Void) {
    #if !canImport(FoundationNetworking)
      answer()
    #endif
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    let exchange = exchange(dataTask)
    let isDecided = exchange?.decide({ exchange?.admits(response) == true }) {
      completionHandler($0 ? .allow : .cancel)
    }
    if isDecided != true { answerCancelled { completionHandler(.cancel) } }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchange(dataTask)?.take(data)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    exchange(task)?.finish(error)
  }
}

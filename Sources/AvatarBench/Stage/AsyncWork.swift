import Synchronization

/// Asynchronous work from a thread of the benchmark's own, which has nothing else to do meanwhile.
enum AsyncWork {
  /// Runs `work` and waits for its result.
  static func wait<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) -> Result {
    let cell = Cell<Result>()
    Task.detached { cell.put(await work()) }
    while true {
      if let result = cell.value { return result }
      Pause.milliseconds(1)
    }
  }

  private final class Cell<Value: Sendable>: Sendable {
    private let state = Mutex<Value?>(nil)
    func put(_ value: Value) { state.withLock { $0 = value } }
    var value: Value? { state.withLock { $0 } }
  }
}

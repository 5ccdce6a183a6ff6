import AvatarCore
import Glibc
import Synchronization
import Testing

/// Who did what, in order.
private final class Journal: Sendable {
  private let lines = Mutex<[(what: String, thread: pthread_t)]>([])
  var all: [(what: String, thread: pthread_t)] { lines.withLock { $0 } }
  var words: [String] { all.map(\.what) }
  /// Gives the number of lines there are by now.
  @discardableResult func note(_ what: String) -> Int {
    let thread = pthread_self()
    return lines.withLock { lines in
      lines.append((what, thread))
      return lines.count
    }
  }
}

@Suite(.timeLimit(.minutes(2))) struct ThreadTurnsTests {
  /// Two waits and what lies between, on whatever thread.
  private static func work(_ name: String, _ journal: Journal) async {
    journal.note("\(name) begins")
    await withCheckedContinuation { $0.resume() }
    await Self.step()
    journal.note("\(name) ends")
  }

  private static func step() async { await Task.yield() }

  @Test func `what a turn resumes runs on its thread once the turn is over, and so does what that resumes`() throws {
    let journal = Journal()
    let thread = try NamedThread("turns") {
      ThreadTurns.serve { turns in
        Task(executorPreference: TurnExecutor.shared) {
          await Self.work("outer", journal)
          Task(executorPreference: TurnExecutor.shared) { await Self.work("inner", journal) }
        }
        journal.note("turn")
        turns.end()
        journal.note("waits")
      }
    }
    thread.join()
    #expect(journal.words == ["turn", "outer begins", "outer ends", "inner begins", "inner ends", "waits"])
    #expect(Set(journal.all.map(\.thread)).count == 1)
  }

  @Test func `what is left at the end of a thread's turns still runs there`() throws {
    let journal = Journal()
    let thread = try NamedThread("turns") {
      ThreadTurns.serve { _ in
        Task(executorPreference: TurnExecutor.shared) { journal.note("ran") }
        journal.note("body")
      }
      journal.note("over")
    }
    thread.join()
    #expect(journal.words == ["body", "ran", "over"])
  }

  @Test(arguments: [-1, 0, 1])
  func `a turn runs so many jobs and leaves the others to the pool`(_ more: Int) async throws {
    let count = ThreadTurns.usualJobs + more
    let journal = Journal()
    let own = Mutex<pthread_t?>(nil)
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      let began = NamedThread.start("turns") {
        own.withLock { $0 = pthread_self() }
        ThreadTurns.serve { _ in
          for number in 0..<count {
            Task(executorPreference: TurnExecutor.shared) {
              if journal.note("\(number)") == count { done.resume() }
            }
          }
        }
      }
      #expect(began)
    }
    let thread = own.withLock { $0 }
    #expect(journal.all.count { $0.thread == thread } == min(count, ThreadTurns.usualJobs))
    #expect(Set(journal.words) == Set((0..<count).map(String.init)))
  }

  @Test func `what a thread without turns resumes runs all the same`() async {
    let journal = Journal()
    await Task(executorPreference: TurnExecutor.shared) { await Self.work("task", journal) }.value
    #expect(journal.words == ["task begins", "task ends"])
  }
}

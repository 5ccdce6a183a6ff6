import AvatarCore
import Glibc
import Synchronization
import Testing

@testable import AvatarService

struct LogTests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
      (1_767_225_599_999, "2025-12-31T23:59:59.999Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
      (1_709_210_096_007, "2024-02-29T12:34:56.007Z"), (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
      (.max, "9999-12-31T23:59:59.999Z"), (.min, "0000-01-01T00:00:00.000Z"),
    ] as [(Int64, String)])
  func `a line begins with the time`(milliseconds: Int64, text: String) {
    let line = LogLine.encode(.json, time: UnixTime(milliseconds: milliseconds), .info, "x", [])
    #expect(String(decoding: line, as: UTF8.self) == "{\"time\":\"\(text)\",\"level\":\"info\",\"event\":\"x\"}\n")
  }

  @Test(
    arguments: [
      (.text("plain"), "\"plain\"", "plain"), (.text(""), "\"\"", "\"\""), (.text("a b"), "\"a b\"", "\"a b\""),
      (.text("a=\"b\\"), "\"a=\\\"b\\\\\"", "\"a=\\\"b\\\\\""),
      (.text("a\nb\0\u{1B}[2J"), #""a\nb\u0000\u001b[2J""#, nil),
      (.text("\u{7F}\u{85}\u{2028}\u{202E}\u{2066}"), #""\u007f\u0085\u2028\u202e\u2066""#, nil),
      (.text("é👨‍👩‍👧"), "\"é👨‍👩‍👧\"", nil),
      (.number(-5), "-5", nil), (.number(.min), "-9223372036854775808", nil), (.flag(true), "true", nil),
      (.duration(.milliseconds(1500)), "1500.000", nil), (.duration(.microseconds(1)), "0.001", nil),
      (.duration(.nanoseconds(999)), "0.000", nil), (.duration(.microseconds(-1500)), "-1.500", nil),
      (.duration(.zero), "0.000", nil),
      (
        .text(String(repeating: "x", count: 2048)), "\"" + String(repeating: "x", count: 2048) + "\"",
        String(repeating: "x", count: 2048)
      ),
      (.text(String(repeating: "é", count: 1025)), "\"" + String(repeating: "é", count: 1024) + "…\"", nil),
    ] as [(LogValue, String, String?)])
  func `a value is escaped and bounded`(value: LogValue, json: String, text: String?) {
    let fields: [(StaticString, LogValue)] = [("first", .flag(false)), ("value", value)]
    let jsonLine = LogLine.encode(.json, time: UnixTime(seconds: 0), .error, "event", fields)
    #expect(
      String(decoding: jsonLine, as: UTF8.self).hasSuffix(",\"event\":\"event\",\"first\":false,\"value\":\(json)}\n"))
    let textLine = LogLine.encode(.text, time: UnixTime(seconds: 0), .error, "event", fields)
    #expect(
      String(decoding: textLine, as: UTF8.self)
        == "1970-01-01T00:00:00.000Z ERROR   event first=false value=\(text ?? json)\n")
  }

  @Test func `only lines of the level and above are written, and the level may change`() throws {
    let pipe = try LogPipe()
    let log = try JSONLineLog(descriptor: pipe.writeEnd, level: .warning, clock: StoppedClock())
    #expect(!log.isEnabled(.info) && log.isEnabled(.warning) && log.isEnabled(.error))
    log.log(.info, "quiet", [])
    log.log(.warning, "loud", [])
    log.level = .debug
    #expect(log.level == .debug && log.isEnabled(.debug))
    log.log(.debug, "whisper", [("n", .number(1))])
    log.flush(within: .seconds(10))
    #expect(pipe.lines().map { $0.contains("\"event\":\"loud\"") } == [true, false])
  }

  @Test func `a descriptor that is no terminal gets JSON, unless text is asked for`() throws {
    let pipe = try LogPipe()
    let json = try JSONLineLog(descriptor: pipe.writeEnd, clock: StoppedClock())
    json.log(.info, "a", [])
    json.flush(within: .seconds(10))
    let text = try JSONLineLog(descriptor: pipe.writeEnd, format: .text, clock: StoppedClock())
    text.log(.info, "b", [])
    text.flush(within: .seconds(10))
    #expect(
      pipe.lines() == [
        #"{"time":"1970-01-01T00:00:00.000Z","level":"info","event":"a"}"#, "1970-01-01T00:00:00.000Z INFO    b",
      ])
  }

  @Test func `lines of many threads stay whole and in each one's order`() async throws {
    let pipe = try LogPipe()
    let log = try JSONLineLog(descriptor: pipe.writeEnd, clock: StoppedClock(), backlogBytes: 16 << 20)
    let reader = Task.detached { pipe.lines(untilCount: 8 * 500) }
    await withTaskGroup(of: Void.self) { group in
      for writer in 0..<8 {
        group.addTask {
          for count in 0..<500 {
            log.log(
              .info, "line",
              [
                ("w", .number(Int64(writer))), ("n", .number(Int64(count))),
                ("pad", .text(String(repeating: "p", count: count))),
              ])
          }
        }
      }
    }
    let lines = await reader.value
    #expect(lines.count == 8 * 500)
    for writer in 0..<8 {
      let own = lines.filter { $0.contains("\"w\":\(writer),") }
      #expect(
        own.indices.allSatisfy { own[$0].contains("\"n\":\($0),") && own[$0].hasSuffix("\"}") }, "writer \(writer)")
    }
  }

  @Test func `a reader that stalls stops nobody, and what was lost is counted`() throws {
    let pipe = try LogPipe()
    let log = try JSONLineLog(descriptor: pipe.writeEnd, clock: StoppedClock(), backlogBytes: 32 << 10)
    let pad = String(repeating: "x", count: 1000)
    let total = 1000
    for count in 0..<total { log.log(.info, "line", [("n", .number(Int64(count))), ("pad", .text(pad))]) }
    // Nobody has read a byte: far more than pipe and backlog hold has been logged. Now somebody reads to the end.
    log.log(.info, "last", [])
    func count(_ lines: [String]) -> (kept: Int, lost: Int) {
      let notices = lines.filter { $0.contains("\"event\":\"log_dropped\"") }
      let lost = notices.compactMap { $0.split(separator: ":").last.flatMap { Int($0.dropLast()) } }
      return (lines.count - notices.count, lost.reduce(0, +))
    }
    let (kept, lost) = count(pipe.lines { count($0).kept + count($0).lost >= total + 1 })
    #expect(lost > 0)
    #expect(kept + lost == total + 1, "\(kept) and \(lost)")
    log.log(.info, "again", [])
    log.flush(within: .seconds(10))
    #expect(pipe.lines().contains { $0.contains("again") })
  }

  @Test func `a flush gives up on a reader that stalls`() throws {
    let pipe = try LogPipe()
    let log = try JSONLineLog(descriptor: pipe.writeEnd, clock: StoppedClock(), backlogBytes: 1 << 20)
    let pad = String(repeating: "x", count: 2000)
    for _ in 0..<200 { log.log(.info, "line", [("pad", .text(pad))]) }
    let begun = ContinuousClock.now
    log.flush(within: .milliseconds(50))
    #expect(ContinuousClock.now - begun >= .milliseconds(50))
    pipe.closeReadEnd()
  }

  @Test func `a reader that has gone is no error`() throws {
    let pipe = try LogPipe()
    let log = try JSONLineLog(descriptor: pipe.writeEnd, clock: StoppedClock())
    signal(SIGPIPE, SIG_IGN)
    pipe.closeReadEnd()
    for _ in 0..<10 {
      log.log(.error, "unheard", [])
      log.flush(within: .milliseconds(20))
    }
    #expect(log.isEnabled(.error))
  }

  @Test func `the backlog is bounded`() {
    var backlog = LogBacklog(limit: 10)
    let lines: [[UInt8]] = [[1, 2, 3, 4], [5, 6, 7, 8, 9, 10], [11], [12]]
    let wakes = lines.map { backlog.append($0) }
    #expect(wakes == [true, false, false, false], "only the first line finds the writer asleep")
    let taken = backlog.takeAll()
    #expect(taken.bytes == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    #expect(taken.dropped == 2)
    #expect(backlog.isEmpty)
    backlog.countDropped(3)
    #expect(!backlog.isEmpty)
    let wakesAgain = backlog.append([1])
    #expect(!wakesAgain)
    #expect(backlog.takeAll() == ([1], 3))
  }
}

private struct StoppedClock: WallClock {
  let now = UnixTime(seconds: 0)
}

/// A pipe whose other end the test reads.
private final class LogPipe: Sendable {
  private let readEnd: Int32
  let writeEnd: Int32
  private let isReadEndOpen = Mutex(true)

  init() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  deinit {
    closeReadEnd()
    close(writeEnd)
  }

  func closeReadEnd() {
    isReadEndOpen.withLock { isOpen in
      if isOpen { close(readEnd) }
      isOpen = false
    }
  }

  /// What is in the pipe now.
  func lines() -> [String] { read { _ in !Self.hasBytes(readEnd, within: 0) } }

  /// Reads until so many lines have come.
  func lines(untilCount count: Int) -> [String] { read { $0.count { $0 == 10 } >= count } }

  /// Reads until the lines so far are enough.
  func lines(until areEnough: ([String]) -> Bool) -> [String] {
    read { bytes in
      bytes.last == 10 && areEnough(bytes.split(separator: 10).map { String(decoding: $0, as: UTF8.self) })
    }
  }

  private func read(until isDone: ([UInt8]) -> Bool) -> [String] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while !isDone(bytes), Self.hasBytes(readEnd, within: 20_000) {
      let count = Glibc.read(readEnd, &chunk, chunk.count)
      guard count > 0 else { break }
      bytes += chunk[..<count]
    }
    return bytes.split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func hasBytes(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
    var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&state, 1, milliseconds) > 0
  }
}

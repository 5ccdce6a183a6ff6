import AvatarCore
import Testing

@testable import AvatarFetch

@Suite("Answer rules") struct AnswerRulesTests {
  private let now = StoppedClock().now

  private func head(_ status: Int, _ fields: [(String, String)] = [], isHTTP1: Bool = true) -> AnswerHead {
    AnswerHead(
      status: status, isHTTP1: isHTTP1, fields: fields.map { HeaderField($0.0, $0.1) },
      locations: fields.filter { $0.0 == "location" }.map { text($0.1) })
  }

  @Test(arguments: [
    (200, AvatarError.Code?.none), (203, nil), (201, .originStatus), (202, .originStatus), (204, .sourceEmpty),
    (205, .sourceEmpty), (226, .originStatus), (300, .originRedirect), (304, .originProtocol), (305, .originRedirect),
    (306, .originRedirect), (399, .originRedirect), (400, .originStatus), (401, .originStatus), (403, .originStatus),
    (404, .originNotFound), (405, .originStatus), (410, .originNotFound), (429, .originThrottled),
    (451, .originStatus), (500, .originStatus), (502, .originStatus), (503, .originThrottled), (599, .originStatus),
  ]) func `each status has one meaning`(status: Int, code: AvatarError.Code?) {
    switch AnswerRules.outcome(of: head(status), bytes: 5, isConditional: false, now: now) {
    case .failed(let error):
      #expect(error.code == code, "\(status)")
      #expect(error.originStatus == status)
    case .found: #expect(code == nil, "\(status)")
    case .notModified, .redirected: Issue.record("\(status)")
    }
  }

  @Test(arguments: [301, 302, 303, 307, 308]) func `redirects need one Location`(status: Int) {
    func outcome(_ locations: [String]) -> AnswerRules.Outcome {
      AnswerRules.outcome(of: head(status, locations.map { ("location", $0) }), bytes: 0, isConditional: true, now: now)
    }
    #expect(outcome(["/a"]) == .redirected(text("/a")))
    #expect(outcome(["/a", "/a"]) == .redirected(text("/a")))
    for bad in [[], [""], ["/a", "/b"]] {
      guard case .failed(let error) = outcome(bad) else {
        Issue.record("\(bad)")
        continue
      }
      #expect(error.code == .originRedirect, "\(bad)")
    }
  }

  @Test func `a 304 is an answer only to a question`() {
    #expect(AnswerRules.outcome(of: head(304), bytes: 0, isConditional: true, now: now) == .notModified)
  }

  @Test func `nothing is not a picture`() {
    guard case .failed(let error) = AnswerRules.outcome(of: head(200), bytes: 0, isConditional: false, now: now) else {
      Issue.record("an empty body is taken")
      return
    }
    #expect(error.code == .sourceEmpty)
  }

  @Test(arguments: [
    ("5", Duration?.some(.seconds(5))), ("0", .zero), ("86400", .seconds(86_400)), ("86401", .seconds(86_400)),
    ("99999999999999999999", .seconds(86_400)), ("Sun, 06 Nov 1994 08:50:37 GMT", .seconds(60)),
    ("Sun, 06 Nov 1994 08:00:00 GMT", .zero), ("Fri, 31 Dec 9999 23:59:59 GMT", .seconds(86_400)),
    ("-5", nil), ("soon", nil), ("", nil), ("1.5", nil),
  ]) func `Retry-After is believed within a day`(value: String, want: Duration?) {
    #expect(AnswerRules.retryAfter(head(503, [("retry-after", value)]), now: now) == want, "\(value)")
  }

  @Test(arguments: [
    ([], AnswerRules.Plan.keep(announced: nil)), (["7"], .keep(announced: 7)), (["7", "7"], .keep(announced: 7)),
    (["7, 7"], .keep(announced: 7)), (["100"], .keep(announced: 100)),
  ]) func `lengths that can be read are taken`(lengths: [String], plan: AnswerRules.Plan) throws {
    let head = head(200, lengths.map { ("content-length", $0) })
    #expect(try AnswerRules.plan(for: head, maxBytes: 100) == plan)
  }

  @Test(arguments: ["-1", "+5", "abc", "", "5 5", "0x5", "99999999999999999999", "7, 8", "7,", "5.0"])
  func `lengths that cannot be read are a fault`(length: String) {
    #expect("\(length)") { try AnswerRules.plan(for: head(200, [("content-length", length)]), maxBytes: 100) } throws: {
      ($0 as? AvatarError)?.code == .originProtocol
    }
  }

  @Test func `too much is refused before the first byte`() throws {
    #expect { try AnswerRules.plan(for: head(200, [("content-length", "101")]), maxBytes: 100) } throws: {
      ($0 as? AvatarError)?.code == .sourceTooLarge
    }
    #expect(try AnswerRules.plan(for: head(404, [("content-length", "101")]), maxBytes: 100) == .discard)
  }

  @Test func `two kinds of framing at once are a fault in HTTP 1`() throws {
    let fields = [("content-length", "5"), ("transfer-encoding", "chunked")]
    #expect(throws: AvatarError.self) { try AnswerRules.plan(for: head(200, fields), maxBytes: 100) }
    #expect(try AnswerRules.plan(for: head(200, fields, isHTTP1: false), maxBytes: 100) == .keep(announced: 5))
  }

  @Test(arguments: [
    ([("content-range", "bytes 0-9/10"), ("content-length", "10")], true),
    ([("content-range", "bytes 0-9/10")], false),
    ([("content-range", "bytes 0-8/10"), ("content-length", "9")], false),
    ([("content-range", "bytes 1-9/10"), ("content-length", "9")], false),
    ([("content-range", "bytes 0-9/*"), ("content-length", "10")], false),
    ([("content-range", "bytes 0-9/10"), ("content-length", "10"), ("content-encoding", "gzip")], false),
    ([("content-range", "bytes 0-9223372036854775807/5"), ("content-length", "5")], false),
    ([], false),
  ]) func `a part is taken only where it is the whole`(fields: [(String, String)], isTaken: Bool) {
    #expect(((try? AnswerRules.plan(for: head(206, fields), maxBytes: 100)) != nil) == isTaken, "\(fields)")
  }

  @Test(arguments: ["multipart/x-mixed-replace; boundary=x", "Multipart/form-data"])
  func `a stream of pictures is not waited for`(type: String) {
    #expect { try AnswerRules.plan(for: head(200, [("content-type", type)]), maxBytes: 100) } throws: {
      ($0 as? AvatarError)?.code == .imageUnsupported
    }
  }
}

import AvatarCore
import Testing

@testable import AvatarHTTP

@Suite struct RequestRulesTests {
  private let open = RequestRules(methods: [.get, .head], maximumBodyBytes: 0, maximumTargetBytes: 100)
  private let control = RequestRules(methods: [.get, .head, .post], maximumBodyBytes: 1000, maximumTargetBytes: 100)

  private func framing(_ change: (inout RequestFraming) -> Void) -> RequestFraming {
    var framing = RequestFraming()
    framing.method = .get
    framing.hosts = 1
    change(&framing)
    return framing
  }

  private func verdict(
    _ rules: RequestRules, target: String = "/a", bytes: Int? = nil, host: String? = "h",
    _ change: (inout RequestFraming) -> Void
  ) -> RequestRules.Verdict {
    rules.verdict(
      on: framing(change), target: RequestTarget(Array(target.utf8)), targetBytes: bytes ?? target.utf8.count,
      host: host)
  }

  private func code(_ verdict: RequestRules.Verdict) -> AvatarError.Code? {
    switch verdict {
    case .admit: nil
    case .refuse(let error), .refuseAfterBody(let error): error.code
    }
  }

  @Test func `What is plain is admitted`() {
    #expect(verdict(open) { _ in } == .admit(.get))
    #expect(verdict(open) { $0.method = .head } == .admit(.head))
    #expect(
      verdict(open) {
        $0.contentLengths = 1; $0.contentLength = 0
      } == .admit(.get))
    #expect(
      verdict(open) {
        $0.isOldVersion = true; $0.hosts = 0
      } == .admit(.get))
    #expect(verdict(open, bytes: 100) { _ in } == .admit(.get))
    #expect(verdict(open, target: "http://H:80/a", host: "h:80") { _ in } == .admit(.get))
    #expect(verdict(control) { $0.method = .post } == .admit(.post))
    #expect(
      verdict(control) {
        $0.method = .post; $0.contentLengths = 1; $0.contentLength = 1000
      } == .admit(.post))
  }

  @Test(
    "What makes the framing doubtful is refused at once",
    arguments: [
      { $0.isExact = false }, { $0.hasTransferEncoding = true },
      { $0.contentLengths = 2 },
      {
        $0.contentLengths = 1; $0.contentLength = nil
      },
      { $0.hosts = 0 }, { $0.hosts = 2 }, { $0.hostIsValid = false },
      {
        $0.isOldVersion = true; $0.hosts = 2
      },
      {
        $0.contentLengths = 1; $0.contentLength = 5
      },
    ] as [@Sendable (inout RequestFraming) -> Void])
  func doubtful(change: @Sendable (inout RequestFraming) -> Void) {
    let verdict = verdict(open, change)
    guard case .refuse(let error) = verdict else {
      Issue.record("\(framing(change)) gave \(verdict)")
      return
    }
    #expect(error.code == .invalidRequest, "\(framing(change))")
  }

  @Test func `Methods, lengths and authorities have their own codes`() {
    #expect(code(verdict(open) { $0.method = .post }) == .methodNotAllowed)
    #expect(code(verdict(open) { $0.method = .other }) == .methodNotAllowed)
    #expect(code(verdict(open, bytes: 101) { _ in }) == .uriTooLong)
    #expect(code(verdict(open, bytes: 101) { $0.method = .other }) == .uriTooLong)
    #expect(
      code(
        verdict(control) {
          $0.method = .post; $0.contentLengths = 1; $0.contentLength = 1001
        }) == .bodyTooLarge)
    #expect(code(verdict(open, target: "/a b") { _ in }) == .invalidRequest)
    #expect(code(verdict(open, target: "http://h/a", host: "other") { _ in }) == .invalidRequest)
    #expect(
      code(
        verdict(open, target: "http://h/a", host: nil) {
          $0.isOldVersion = true; $0.hosts = 0
        }) == .invalidRequest)
  }

  @Test func `A refused body is read first if it is small and on its way`() {
    func post(_ bytes: UInt64, expects: Bool = false) -> RequestRules.Verdict {
      verdict(open) {
        $0.method = .post
        $0.contentLengths = 1
        $0.contentLength = bytes
        $0.expectsContinue = expects
      }
    }
    let refusal = AvatarError(.methodNotAllowed, "")
    #expect(post(0) == .refuse(refusal))
    #expect(post(1) == .refuseAfterBody(refusal))
    #expect(post(2 * 1024 * 1024) == .refuseAfterBody(refusal))
    #expect(post(2 * 1024 * 1024 + 1) == .refuse(refusal))
    #expect(post(10, expects: true) == .refuse(refusal))
  }
}

import Foundation
import NotificationPayload
import Testing

@testable import NotificationAvatarKit

/// The downloader against an origin that does everything wrong.
struct DownloaderTests {
  static let picture = Pictures.jpeg()
  static let digest = Pictures.digest(picture)
  static let big = Pictures.jpeg(filling: 600_000)

  struct Fault: Sendable, CustomTestStringConvertible {
    var name: String
    var path = "/a.jpg"
    var fault: DownloadFault
    var acts: [ScriptedOrigin.Act]
    var testDescription: String { name }
    /// Seconds. What answers at all may take its time on a loaded machine.
    var deadline: TimeInterval { fault == .timedOut ? 1 : 10 }
  }

  static let faults: [Fault] = [
    Fault(name: "404", fault: .status(404), acts: [.answer(status: 404, Array("gone".utf8))]),
    Fault(name: "500", fault: .status(500), acts: [.answer(status: 500, picture)]),
    Fault(name: "204", fault: .status(204), acts: [.answer(status: 204, type: "image/jpeg", length: .some(nil), [])]),
    Fault(name: "206", fault: .status(206), acts: [.answer(status: 206, picture)]),
    Fault(name: "304 unasked", fault: .redirect, acts: [.answer(status: 304, length: .some(nil), [])]),
    Fault(name: "nothing but a head", fault: .empty, acts: [.answer([])]),
    Fault(name: "hang before the head", fault: .timedOut, acts: [.hang]),
    Fault(
      name: "hang within the head", fault: .timedOut, acts: [.send(Array("HTTP/1.1 200 OK\r\nConte".utf8)), .hang]),
    Fault(name: "hang within the body", fault: .timedOut, acts: [.answer(length: 99_999, picture), .hang]),
    Fault(
      name: "drip", fault: .timedOut,
      acts: [.answer(length: picture.count, []), .drip(picture, everyMilliseconds: 40)]),
    Fault(name: "too big by its own word", fault: .tooLarge, acts: [.answer(length: 524_289, picture), .hang]),
    Fault(name: "too big without a word", fault: .tooLarge, acts: [.answer(length: .some(nil), big), .hang]),
    Fault(name: "HTML", fault: .wrongType, acts: [.answer(type: "text/html; charset=utf-8", picture)]),
    Fault(name: "bytes of no type", fault: .wrongType, acts: [.answer(type: "application/octet-stream", picture)]),
    Fault(name: "no type", fault: .wrongType, acts: [.answer(type: nil, picture)]),
    Fault(name: "SVG", fault: .wrongType, acts: [.answer(type: "image/svg+xml", Array("<svg/>".utf8))]),
    Fault(name: "HTML that calls itself a JPEG", fault: .notAnImage, acts: [.answer(Array("<html>".utf8))]),
    Fault(name: "a JPEG cut short", fault: .notAnImage, acts: [.answer(Array(picture.dropLast(40)))]),
    Fault(
      name: "a PNG cut short", fault: .notAnImage,
      acts: [.answer(type: "image/png", Pictures.png(width: 80, height: 80, isWhole: false))]),
    Fault(
      name: "too many pixels", fault: .tooManyPixels,
      acts: [.answer(type: "image/png", Pictures.png(width: 1415, height: 1415))]),
    Fault(
      name: "more pixels than a number holds", fault: .tooManyPixels,
      acts: [.answer(type: "image/png", Pictures.png(width: 0xFFFF_FFFF, height: 0xFFFF_FFFF))]),
    Fault(
      name: "wrong bytes for /o/", path: "/o/\(String(repeating: "0", count: 64)).jpg", fault: .wrongHash,
      acts: [.answer(headers: ["ETag: \"\(digest)\""], picture)]),
    Fault(
      name: "wrong bytes for ?v=", path: "/avatar/s/x.jpg?v=0000000000000000", fault: .wrongHash,
      acts: [.answer(picture)]),
    Fault(
      name: "wrong bytes for ?v= and its ETag", path: "/avatar/s/x.jpg?v=0000000000000000", fault: .wrongHash,
      acts: [.answer(headers: ["ETag: \"\(String(repeating: "0", count: 64))\""], picture)]),
    Fault(name: "redirect to a file", fault: .redirect, acts: [redirect("file:///etc/passwd")]),
    Fault(name: "redirect to ftp", fault: .redirect, acts: [redirect("ftp://127.0.0.1/a.jpg")]),
    Fault(name: "redirect with credentials", fault: .redirect, acts: [redirect("http://user:word@127.0.0.1:9/a.jpg")]),
    Fault(name: "redirect for ever", fault: .redirect, acts: [redirect("/a.jpg")]),
  ]

  static func redirect(_ location: String) -> ScriptedOrigin.Act {
    .answer(status: 302, type: "text/plain", headers: ["Location: \(location)"], [])
  }

  static func candidate(_ url: String, _ role: AvatarCandidate.Role = .sender) -> AvatarCandidate {
    Candidates.make(url, role)
  }

  static func options(deadline: TimeInterval = 1) -> AvatarDownloader.Options {
    var options = AvatarDownloader.Options()
    options.deadline = deadline
    return options
  }

  static func download(
    _ candidates: [AvatarCandidate], deadline: TimeInterval = 10, cache: AvatarCache? = nil
  ) async -> AvatarOutcome {
    await withCheckedContinuation { continuation in
      AvatarDownloader(options: options(deadline: deadline), cache: cache)
        .download(candidates) { continuation.resume(returning: $0) }
    }
  }

  @Test(arguments: faults)
  func `a fault is named, and the next candidate gets its turn`(fault: Fault) async throws {
    let origin = try ScriptedOrigin { $0 == "/good.jpg" ? [.answer(DownloaderTests.picture)] : fault.acts }
    let bad = Self.candidate(origin.url(fault.path), .group), good = Self.candidate(origin.url("/good.jpg"))
    let outcome = await Self.download([bad, good], deadline: fault.deadline * 2)
    #expect(outcome.failures.map(\.fault) == [fault.fault], "\(fault.name)")
    #expect(outcome.picture?.candidate == good, "\(fault.name)")
    #expect(outcome.picture?.jpeg == Data(Self.picture))
    await origin.idle()
  }

  @Test(arguments: faults)
  func `with a fault and no other candidate there is no picture, and the deadline holds`(fault: Fault) async throws {
    let origin = try ScriptedOrigin { _ in fault.acts }
    let start = Date()
    let outcome = await Self.download([Self.candidate(origin.url(fault.path))], deadline: fault.deadline)
    #expect(outcome.picture == nil)
    #expect(outcome.failures.map(\.fault) == [fault.fault], "\(fault.name)")
    // What the deadline promises, and what a loaded machine may add to it.
    #expect(-start.timeIntervalSinceNow < fault.deadline + 4, "\(fault.name)")
    await origin.idle()
  }

  @Test func `no pixel of a picture that is too large is decoded`() async throws {
    let origin = try ScriptedOrigin { _ in [.answer(type: "image/png", Pictures.png(width: 1733, height: 1733))] }
    let outcome = await Self.download([Self.candidate(origin.url("/a.png"))])
    #expect(outcome.failures.map(\.fault) == [.tooManyPixels])
    #expect(!Decoding.happened(1733, 1733))
  }

  @Test func `another format is reduced through the system, just within the limits`() async throws {
    let origin = try ScriptedOrigin { _ in [.answer(type: "image/png", Pictures.png(width: 2000, height: 1000))] }
    let outcome = await Self.download([Self.candidate(origin.url("/a.png"))])
    let jpeg = try #require(outcome.picture?.jpeg)
    #expect(JPEGGlance.isReady(jpeg, side: 256))
    #expect(Decoding.happened(2000, 1000))
  }

  @Test func `a refused connection is one fault among others`() async throws {
    let outcome = await Self.download([Self.candidate("http://127.0.0.1:\(try ScriptedOrigin.deadPort())/a.jpg")])
    #expect(outcome.picture == nil)
    guard case .unreachable = outcome.failures.first?.fault else {
      Issue.record("\(outcome)")
      return
    }
  }

  @Test(arguments: [
    [ScriptedOrigin.Act.reset], [.answer(length: 5000, picture)], [.answer(length: 5000, picture), .reset],
  ])
  func `a connection that breaks off gives no picture`(acts: [ScriptedOrigin.Act]) async throws {
    let origin = try ScriptedOrigin { _ in acts }
    let outcome = await Self.download([Self.candidate(origin.url("/a.jpg"))])
    #expect(outcome.picture == nil)
    #expect(outcome.failures.count == 1, "\(outcome)")
  }

  @Test(arguments: ["", "ftp://127.0.0.1/a", "file:///etc/passwd", "http://", "http://u:p@127.0.0.1/a", "no url"])
  func `what is no URL of a picture is asked of nobody`(url: String) async {
    let outcome = await Self.download([Self.candidate(url)])
    #expect(outcome.failures.map(\.fault) == [.invalidURL])
  }

  @Test func `bytes that the URL names are shown`() async throws {
    let origin = try ScriptedOrigin { _ in [.answer(DownloaderTests.picture)] }
    for path in ["/o/\(Self.digest).jpg", "/avatar/s/x.jpg?v=\(Self.digest.prefix(16))"] {
      let outcome = await Self.download([Self.candidate(origin.url(path))])
      #expect(outcome.picture?.jpeg == Data(Self.picture), "\(path): \(outcome)")
    }
  }

  @Test func `an avatar that has changed since its ?v= is shown as it is now`() async throws {
    let origin = try ScriptedOrigin { _ in
      [.answer(headers: ["ETag: \"\(DownloaderTests.digest)\""], DownloaderTests.picture)]
    }
    let outcome = await Self.download([Self.candidate(origin.url("/avatar/s/x.jpg?v=0000000000000000"))])
    #expect(outcome.picture?.jpeg == Data(Self.picture))
  }

  @Test func `exactly the limit of bytes is taken, one more is not`() async throws {
    let frame = Pictures.jpeg(filling: 0).count
    let limit = AvatarDownloader.Options().maximumBytes
    let origin = try ScriptedOrigin { target in
      [.answer(length: .some(nil), Pictures.jpeg(filling: limit - frame + (target == "/over.jpg" ? 1 : 0)))]
    }
    let atLimit = await Self.download([Self.candidate(origin.url("/at.jpg"))], deadline: 5)
    #expect(atLimit.picture?.jpeg.count == limit)
    let over = await Self.download([Self.candidate(origin.url("/over.jpg"))], deadline: 5)
    #expect(over.failures.map(\.fault) == [.tooLarge])
  }

  @Test func `three redirects are followed, a fourth is not`() async throws {
    let origin = try ScriptedOrigin { target in
      let hops = Int(target.dropFirst()) ?? 0
      return [hops == 0 ? .answer(DownloaderTests.picture) : DownloaderTests.redirect("/\(hops - 1)")]
    }
    #expect(await Self.download([Self.candidate(origin.url("/3"))]).picture != nil)
    #expect(await Self.download([Self.candidate(origin.url("/4"))]).failures.map(\.fault) == [.redirect])
  }

  @Test func `an https origin must not lead to http`() {
    let order = FetchOrder(
      url: URL(fileURLWithPath: "/"), maximumBytes: 1, maximumRedirects: 3, limit: 1, accepts: { _ in true })
    func follows(_ from: String, _ to: String) -> Bool {
      FetchExchange(order, onSettled: { _ in }, completion: { _ in })
        .follows(from: URL(string: from), to: URL(string: to))
    }
    #expect(!follows("https://a.example/x", "http://a.example/x"))
    #expect(follows("http://a.example/x", "https://a.example/x"))
    #expect(follows("https://a.example/x", "https://b.example/x"))
  }

  @Test func `a group that hangs leaves the sender its share of the time`() async throws {
    let origin = try ScriptedOrigin { $0 == "/g.jpg" ? [.hang] : [.answer(DownloaderTests.picture)] }
    let outcome = await Self.download(
      [Self.candidate(origin.url("/g.jpg"), .group), Self.candidate(origin.url("/s.jpg"))], deadline: 2)
    #expect(outcome.picture?.candidate.role == .sender)
    #expect(outcome.failures.map(\.fault) == [.timedOut])
    await origin.idle()
  }

  @Test func `without candidates there is nothing to wait for`() async {
    #expect(await Self.download([], deadline: 60) == AvatarOutcome(picture: nil, failures: []))
  }

  @Test func `a cancelled download answers once, and the origin sees the client leave`() async throws {
    let origin = try ScriptedOrigin { _ in [.hang] }
    let candidates = [Self.candidate(origin.url("/g.jpg"), .group), Self.candidate(origin.url("/s.jpg"))]
    let outcome = await withCheckedContinuation { continuation in
      let download = AvatarDownloader(options: Self.options(deadline: 60), cache: nil)
        .download(candidates) { continuation.resume(returning: $0) }
      download.cancel()
      download.cancel()
    }
    #expect(outcome.picture == nil)
    #expect(outcome.failures.map(\.fault) == [.cancelled, .cancelled])
    await origin.idle()
  }

  @Test func `a request says what is wanted and nothing about the user`() async throws {
    let origin = try ScriptedOrigin { _ in
      [.answer(headers: ["Set-Cookie: a=b"], DownloaderTests.picture)]
    }
    for path in ["/1.jpg", "/2.jpg"] { _ = await Self.download([Self.candidate(origin.url(path))]) }
    #expect(origin.requests.count == 2)
    for head in origin.requests {
      #expect(head.contains("image/jpeg"), "\(head)")
      #expect(!head.lowercased().contains("cookie:"), "\(head)")
      #expect(!head.lowercased().contains("authorization:"), "\(head)")
    }
  }
}

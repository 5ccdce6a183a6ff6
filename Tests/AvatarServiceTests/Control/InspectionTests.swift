import AvatarCore
import AvatarCrypto
import AvatarNames
import Foundation
import Testing

@testable import AvatarService

/// The inspector's words: what bytes look like, why something is fresh, what went wrong, and what is never shown.
struct InspectionTests {
  @Test(
    arguments: [
      ([0xFF, 0xD8, 0xFF, 0xE0], "JPEG"), ([0x89] + Array("PNG\r\n\u{1A}\n".utf8), "PNG"),
      (Array("GIF89a".utf8), "GIF"), (Array("RIFF....WEBPVP8 ".utf8), "WebP"),
      (Array("<!DOCTYPE html><title>x</title>".utf8), "an HTML page"),
      ([0xEF, 0xBB, 0xBF] + Array("\n  <HTML lang=en>".utf8), "an HTML page"),
      (Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), "SVG"),
      (Array("<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>".utf8), "XML without an SVG at its root"),
      (Array(#"{"error":"expired"}"#.utf8), "JSON"), (Array("%PDF-1.7".utf8), "a PDF"),
      ([0x49, 0x49, 0x2A, 0x00, 8], "TIFF"), ([0xFF, 0x0A, 0x30], "JPEG XL"), (Array("BM....".utf8), "BMP"),
      ([0, 0, 1, 0, 1], "an icon file (ICO)"), ([0x1F, 0x8B, 8], "gzip"), (Array("....ftypisom".utf8), "an MP4 video"),
      (Array("Not found\n".utf8), "plain text"), ([0, 1, 2, 3], "unknown bytes"), ([0x89], "unknown bytes"),
    ] as [([UInt8], String)])
  func `bytes are named for what they look like`(bytes: [UInt8], name: String) {
    #expect(SourceKind.name(of: bytes) == name, "\(bytes)")
  }

  @Test func `no bytes are too few or too odd for a name`() {
    let seed = UInt64.random(in: .min ... .max)
    var state = seed
    for length in 0..<600 {
      let bytes = (0..<length).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 40)
      }
      #expect(!SourceKind.name(of: bytes).isEmpty, "seed \(seed), length \(length)")
    }
  }

  @Test(
    arguments: [
      ("https://user:pass@a.example/p?q=1#f", "https://…@a.example/p"), ("//user:pass@a.example/p", "//…@a.example/p"),
      ("https://a@b@c.example/p", "https://…@c.example/p"), ("https://a.example/@p", "https://a.example/@p"),
      ("/p@q?secret", "/p@q"), ("https://user:pass@a.example", "https://…@a.example"), ("", ""), ("?secret", ""),
      ("https://user:pa\\ss@a.example/", "https://user:pa\\ss@a.example/"),
    ])
  func `a Location is shown without what may be a secret`(location: String, shown: String) {
    let step = Inspection.Step(FetchStep(kind: "hop", at: .zero, facts: [("location", location)]))
    #expect(step.facts["location"] == shown)
  }

  @Test func `a field without end is cut`() {
    let step = Inspection.Step(
      FetchStep(kind: "hop", at: .milliseconds(1), facts: [("etag", String(repeating: "é", count: 90_000))]))
    #expect(step.facts["etag"]?.utf8.count ?? 0 < 1100)
    #expect(step.atMilliseconds == 1)
  }

  private func report(_ steps: [(String, [(String, String)])]) throws -> (Inspection, SourceURL) {
    let url = try SourceURL(parsing: "https://a.example:8443/p.png", names: IDN2Names())
    var report = Inspection(source: url.serialized, key: "", fit: "cover", identityRule: nil, answerNow: "")
    report.steps = steps.map { kind, facts in
      Inspection.Step(FetchStep(kind: kind, at: .zero, facts: facts.map { (name: $0.0, value: $0.1) }))
    }
    return (report, url)
  }

  static let located = ("address", [("name", "a.example"), ("address", "192.0.2.1"), ("verdict", "allowed")])
  static let connected = ("connect", [("address", "192.0.2.1")])
  static let moved = (
    "hop", [("status", "302"), ("url", "https://a.example:8443/p.png"), ("location", "https://b.example/q")]
  )
  static let stages: [([(String, [(String, String)])], AvatarError.Code, String)] = [
    ([], .originUnreachable, "The name a.example does not resolve to any address."),
    (
      [located], .originUnreachable,
      "No connection to a.example on port 8443 could be made: nothing listens there, or the network is cut."
    ),
    ([located, connected], .originUnreachable, "The connection to a.example broke before its answer was complete."),
    ([], .originTimedOut, "The look-up of a.example gave no answer within 1.5 s."),
    ([located], .originTimedOut, "No connection to a.example on port 8443 came about within 1.5 s."),
    (
      [located, connected], .originTimedOut, "The origin took the request on a.example and sent no header within 1.5 s."
    ),
    (
      [located, connected, ("hop", [("status", "200")])], .originTimedOut,
      "The origin sent its header, but not the whole picture within 1.5 s."
    ),
    (
      [located, connected, moved], .originUnreachable,
      "After 1 redirect, the name b.example does not resolve to any address."
    ),
    (
      [located, connected, moved], .originTimedOut,
      "After 1 redirect, the look-up of b.example gave no answer within 1.5 s."
    ),
    (
      [located, connected, ("hop", [("url", "https://a.example:8443/p.png"), ("location", "/q")])], .originUnreachable,
      "After 1 redirect, no connection to a.example could be made: nothing listens there, or the network is cut."
    ),
    ([], .hostNotAllowed, "The host a.example is not one that fetch.allowHosts and fetch.denyHosts let through."),
  ]

  @Test(arguments: stages.indices)
  func `the sentence says how far the fetch had come`(index: Int) throws {
    let (steps, code, sentence) = Self.stages[index]
    var (report, url) = try report(steps)
    report.elapsedMilliseconds = 1499.6
    #expect(FailureSentence(error: AvatarError(code), url: url, report: report).text == sentence)
  }

  @Test(arguments: AvatarError.Code.allCases)
  func `every code has one sentence`(code: AvatarError.Code) throws {
    let (report, url) = try report([])
    let text = FailureSentence(error: AvatarError(code, "a detail"), url: url, report: report).text
    #expect(text.hasSuffix(".") && !text.hasSuffix("..") && !text.contains("\n"), "\(text)")
    #expect(text.first?.isUppercase == true, "\(text)")
  }

  @Test func `an inspection of nothing that can be fetched is a report all the same`() async throws {
    let stage = Stage()
    let inspector = Inspector(resolver: stage.resolver, parts: stage.parts, names: IDN2Names(), limits: ImageLimits())
    let url = try SourceURL(parsing: "http://a.example/none?secret=1", names: IDN2Names())
    let report = await inspector.inspect(url, fit: .contain, store: true)
    #expect(report.code == "origin_not_found")
    #expect(report.source == "http://a.example/none")
    #expect(report.stored == nil)
    #expect(!InspectionText.json(report).contains("secret"))
    #expect(InspectionText.text(report).hasSuffix(report.summary + "\n"))
  }

  @Test func `what a request would get now follows the resolver`() async throws {
    let stage = Stage()
    let inspector = Inspector(resolver: stage.resolver, parts: stage.parts, names: IDN2Names(), limits: ImageLimits())
    let url = try SourceURL(parsing: "http://a.example/p", names: IDN2Names())
    func now() async -> String { await inspector.inspect(url, fit: .cover, store: false).answerNow }
    stage.origin.set("http://a.example/p", .picture("one", headers: .cacheControl("max-age=3600")))
    #expect(await now() == "asks the origin")
    _ = try await stage.get("http://a.example/p")
    #expect(await now() == "200 from memory, fresh for another 3600 s")
    stage.resolver.memory.drop { _ in true }
    #expect(await now() == "200 from disk, fresh for another 3600 s")
    stage.clock.advance(.seconds(3601))
    #expect(await now() == "200 from disk, stale, and refreshed behind the answer")
    stage.clock.advance(.seconds(8 * 86_400))
    #expect(await now() == "asks the origin first; should that fail, 200 from disk, stale")
    stage.origin.set("http://a.example/p", .failure(AvatarError(.originStatus, originStatus: 500)))
    _ = try await stage.get("http://a.example/p")
    let failed = await now()
    #expect(
      failed.hasPrefix(
        "200 from memory, stale, because the last refresh failed: origin_status, remembered for another"),
      "\(failed)")
  }
}

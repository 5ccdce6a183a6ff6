import AvatarCore
import AvatarCrypto
import AvatarNames
import Foundation
import Synchronization
import Testing

@testable import AvatarService

/// The page, the description, and what the control side's answers have in common.
struct PageTests {
  private func part(_ text: String, between start: String, and end: String) throws -> String {
    let first = try #require(text.range(of: start))
    let last = try #require(text.range(of: end, range: first.upperBound..<text.endIndex))
    return String(text[first.upperBound..<last.lowerBound])
  }

  @Test(arguments: [true, false])
  func `the policy names exactly the script and style that are in the page`(asks: Bool) throws {
    let reply = StatusPage.reply(asksForToken: asks, hashing: OpenSSLHashing())
    let text = String(decoding: reply.body.bytes, as: UTF8.self)
    let policy = try #require(reply.headers.first { $0.name == "Content-Security-Policy" }?.value)
    for (name, tag) in [("script-src", "script"), ("style-src", "style")] {
      let content = try part(text, between: "<\(tag)>", and: "</\(tag)>")
      let hash = Data(OpenSSLHashing().sha256(Array(content.utf8)).bytes).base64EncodedString()
      #expect(policy.contains("\(name) 'sha256-\(hash)'; "), "\(name)")
      #expect(text.components(separatedBy: "<\(tag)").count == 2, "one \(tag)")
    }
    #expect(!policy.contains("unsafe") && !policy.contains("http"))
    #expect(text.contains("data-token=\"\(asks ? "required" : "none")\""))
  }

  @Test func `the page loads nothing and has no attribute that runs`() {
    let text = String(
      decoding: StatusPage.reply(asksForToken: false, hashing: OpenSSLHashing()).body.bytes, as: UTF8.self)
    for word in [
      "src=\"http", "href=\"http", "@import", "url(", " onclick", " onload", " style=\"", "innerHTML", "eval(",
    ] {
      #expect(!text.contains(word), "\(word)")
    }
  }

  @Test func `every id that the script asks for is in the page`() throws {
    let script = PageScript.text
    let pattern = try Regex(#"(?:at|say|rows|fill)\("([a-z-]+)""#)
    let ids = Set(script.matches(of: pattern).compactMap { $0.output[1].substring.map(String.init) })
    #expect(ids.count > 20)
    for id in ids { #expect(PageMarkup.body.contains("id=\"\(id)\""), "\(id)") }
  }

  @Test func `the description is JSON and refers to nothing that is not there`() throws {
    let text = OpenAPIDocument.text
    let document = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(document["openapi"] as? String == "3.1.0")
    let components = try #require(document["components"] as? [String: Any])
    let schemas = try #require(components["schemas"] as? [String: Any])
    let pattern = try Regex(##""#/components/schemas/([A-Za-z]+)""##)
    let used = Set(text.matches(of: pattern).compactMap { $0.output[1].substring.map(String.init) })
    #expect(used == Set(schemas.keys))
    let operations = try Regex(#""operationId": "([a-zA-Z]+)""#)
    let names = text.matches(of: operations).compactMap { $0.output[1].substring.map(String.init) }
    #expect(Set(names).count == names.count)
  }

  @Test(arguments: AvatarError.Code.allCases)
  func `a problem is known by its code again`(code: AvatarError.Code) {
    #expect(Problem.code(of: Problem.reply(AvatarError(code, "detail"))) == code)
    #expect(Problem.code(of: JSONReply.make(Readiness(ready: false, degraded: []), status: code.status)) == nil)
  }
}

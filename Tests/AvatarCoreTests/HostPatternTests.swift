import AvatarCore
import Testing

@Suite("Host patterns")
struct HostPatternTests {
  struct Fit: Sendable, CustomStringConvertible {
    let pattern: String
    let yes: [String]
    let no: [String]
    var description: String { pattern }
  }

  @Test(arguments: [
    Fit(
      pattern: "example.com", yes: ["example.com", "example.com."],
      no: ["a.example.com", "example.com.evil.net", "xexample.com"]),
    Fit(pattern: "EXAMPLE.com.", yes: ["example.com"], no: ["example.org"]),
    Fit(
      pattern: "*.example.com", yes: ["a.example.com", "a.b.example.com", "a.example.com."],
      no: ["example.com", "example.com.", "aexample.com", "a.example.com.evil.net", "com"]),
    Fit(pattern: "*.com", yes: ["a.com"], no: ["com", "com."]),
    Fit(pattern: "192.0.2.1", yes: ["192.0.2.1"], no: ["192.0.2.10", "[::ffff:192.0.2.1]"]),
    Fit(pattern: "[2001:DB8::1]", yes: ["[2001:db8:0::1]"], no: ["[2001:db8::2]"]),
    Fit(pattern: "2001:db8::1", yes: ["[2001:db8::1]"], no: ["2001.example"]),
    Fit(pattern: "xn--bcher-kva.test", yes: ["bücher.test"], no: ["bucher.test"]),
  ])
  func `a pattern fits its hosts and no others`(_ fit: Fit) throws {
    let pattern = try #require(HostPattern(fit.pattern))
    for host in fit.yes { #expect(pattern.matches(try SourceURL.sample("http://\(host)/").host), "\(host)") }
    for host in fit.no { #expect(!pattern.matches(try SourceURL.sample("http://\(host)/").host), "\(host)") }
    #expect(HostPattern(pattern.text) == pattern)
  }

  @Test(arguments: [
    "", "*", "*.", "*.*.com", "a.*.com", "*a.com", "**.com", ".com", "a..b", "a b", "bücher.test", "http://a", "a/b",
    "a:80",
    "127.1", "0x7f000001", "*.1.2.3.4", "*.[::1]", "[::1", "[1.2.3.4", "[1.2.3.4]", "[a.com]", "[]", ".", "::1.",
    "a.com..",
  ])
  func `nothing else is a pattern`(_ text: String) {
    #expect(HostPattern(text) == nil)
  }

  @Test func `an empty allow list allows all, and deny wins`() throws {
    let inner = try #require(HostPattern("*.example.com"))
    let bad = try #require(HostPattern("bad.example.com"))
    let good = try SourceURL.sample("http://good.example.com/").host
    let refused = try SourceURL.sample("http://bad.example.com./").host
    let other = try SourceURL.sample("http://other.net/").host
    #expect([good, refused, other].map { HostPolicy().allows($0) } == [true, true, true])
    #expect([good, refused, other].map { HostPolicy(denying: [bad]).allows($0) } == [true, false, true])
    #expect([good, refused, other].map { HostPolicy(allowing: [inner]).allows($0) } == [true, true, false])
    let both = HostPolicy(allowing: [inner], denying: [bad])
    #expect([good, refused, other].map { both.allows($0) } == [true, false, false])
  }
}

import AvatarCore
import AvatarNames
import Testing

@Suite("What an avatar URL names")
struct AvatarLocatorTests {
  @Test(arguments: [
    Pair("http://a.example/1", "cover http://a.example/1"),
    Pair("fit=contain\nhttp://a.example/1", "contain http://a.example/1"),
    Pair(
      "http://a.example/1\nHTTP://B.example:80/ü\nhttps://c.example",
      "cover http://a.example/1 http://b.example/%C3%BC https://c.example/"),
    Pair("http://a.example/1\nhttp://a.example/1", "cover http://a.example/1 http://a.example/1"),
    Pair(
      "fit=contain\nhttp://a/1\nhttp://a/2\nhttp://a/3\nhttp://a/4",
      "contain http://a/1 http://a/2 http://a/3 http://a/4"),
    Pair("http://a/1\nhttp://a/2\nhttp://a/3\nhttp://a/4\nhttp://a/5", "too_many_sources"),
    Pair("fit=contain", "invalid_request"),
    Pair("fit=contain\n", "invalid_source_url"),
    Pair("fit=cover\nhttp://a/1", "invalid_source_url"),
    Pair("fit=contain\nfit=contain\nhttp://a/1", "invalid_source_url"),
    Pair("http://a/1\nfit=contain", "invalid_source_url"),
    Pair("", "invalid_request"),
    Pair("\n", "invalid_source_url"),
    Pair("http://a/1\n", "invalid_source_url"),
    Pair("http://a/1\r\nhttp://a/2", "invalid_source_url"),
    Pair("http://a/1\n\nhttp://a/2", "invalid_source_url"),
    Pair("ftp://a/1", "invalid_source_url"),
  ])
  func `a segment is lines in base64url`(_ pair: Pair) {
    #expect(outcome { () throws(AvatarError) in try decode(Base64URL.encode(Array(pair.input.utf8))) } == pair.due)
  }

  @Test(arguments: ["!!!", "aHR0cDovL3gvYQ==", "aHR0cDovL3gvYR", "a", "aHR0cDovL3gvYQ.", "aHR0cDovL3gvYQ\n"])
  func `what is not strict base64url is an invalid request`(_ segment: String) {
    #expect(outcome { () throws(AvatarError) in try decode(segment) } == "invalid_request")
  }

  @Test(arguments: [
    Pair("src=http%3A%2F%2Fa%2F1", "cover http://a/1"),
    Pair("src=http://a/1?b=c", "cover http://a/1?b=c"),
    Pair("src=http%3A%2F%2Fa%2F1&src=http%3A%2F%2Fa%2F2&fit=contain", "contain http://a/1 http://a/2"),
    Pair("fit=cover&src=http%3A%2F%2Fa", "cover http://a/"),
    Pair("zz=1&%zz&src=http%3A%2F%2Fa&v=3&&SRC=x", "cover http://a/"),
    Pair("src=http%3A%2F%2Fa%2FE+P%2BQ%252B%20r", "cover http://a/E+P+Q%2B%20r"),
    Pair("src=http%3A%2F%2Fa%2F%C5%82", "cover http://a/%C5%82"),
    Pair("src=http%3A%2F%2Fa%2F%FF", "cover http://a/%FF"),
    Pair("", "invalid_request"),
    Pair("fit=contain", "invalid_request"),
    Pair("source=http%3A%2F%2Fa", "invalid_request"),
    Pair("src", "invalid_source_url"),
    Pair("src=", "invalid_source_url"),
    Pair("src=%20", "invalid_source_url"),
    Pair("src=%zz", "invalid_request"),
    Pair("src=%", "invalid_request"),
    Pair("src=a%00b", "invalid_source_url"),
    Pair("src=http%3A%2F%2Fa&fit=", "invalid_request"),
    Pair("src=http%3A%2F%2Fa&fit=Contain", "invalid_request"),
    Pair("src=http%3A%2F%2Fa&fit=cover&fit=contain", "invalid_request"),
    Pair("src=a&src=b&src=c&src=d&src=e", "too_many_sources"),
    Pair("src=http%3A%2F%2Fa&src=ftp%3A%2F%2Fb", "invalid_source_url"),
  ])
  func `a query is src parameters and a fit`(_ pair: Pair) {
    #expect(
      outcome { () throws(AvatarError) in try AvatarLocator(query: pair.input, names: IDN2Names()) } == pair.due)
  }

  @Test func `every spelling of the same sources gives the same segment, and it decodes to them`() throws {
    for fit in Fit.allCases {
      let one = AvatarLocator(sources: [try .sample("HTTP://A.example:80/ü"), try .sample("https://b")], fit: fit)
      let other = AvatarLocator(
        sources: [try .sample("http://a.example/%C3%BC#x"), try .sample("https://b/")], fit: fit)
      #expect(one.segment == other.segment)
      #expect(try decode(one.segment) == one)
    }
  }

  @Test func `the longest chain fits the longest request target`() throws {
    let long = try SourceURL.sample("http://h.example/" + String(repeating: "x", count: 4096 - 17))
    let locator = AvatarLocator(sources: Array(repeating: long, count: 4), fit: .contain)
    #expect(
      "/avatar/\(String(repeating: "s", count: 22))/\(locator.segment).jpg?v=0123456789abcdef".utf8.count <= 24 << 10)
    #expect(try decode(locator.segment) == locator)
  }

  @Test func `a lower limit of sources holds for both forms`() throws {
    let two = Base64URL.encode(Array("http://a/\nhttp://b/".utf8))
    #expect(throws: AvatarError(.tooManySources, "2 sources")) {
      try AvatarLocator(decoding: two, names: IDN2Names(), maximumSources: 1)
    }
    #expect(throws: AvatarError(.tooManySources, "2 sources")) {
      try AvatarLocator(query: "src=http://a/&src=http://b/", names: IDN2Names(), maximumSources: 1)
    }
  }

  private func decode(_ segment: String) throws(AvatarError) -> AvatarLocator {
    try AvatarLocator(decoding: segment, names: IDN2Names())
  }

  private func outcome(_ make: () throws(AvatarError) -> AvatarLocator) -> String {
    do {
      let locator = try make()
      return ([locator.fit.rawValue] + locator.sources.map(\.serialized)).joined(separator: " ")
    } catch {
      return error.code.rawValue
    }
  }
}

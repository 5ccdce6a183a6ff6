import AvatarCore
import AvatarNames
import Testing

@Suite("Where a Location leads")
struct URLRedirectTests {
  /// RFC 3986 section 5.4, all examples but those whose scheme is not ours; fragments are dropped and an empty path is `/`.
  @Test(arguments: [
    Pair("g", "http://a/b/c/g"), Pair("./g", "http://a/b/c/g"), Pair("g/", "http://a/b/c/g/"),
    Pair("/g", "http://a/g"), Pair("//g", "http://g/"), Pair("?y", "http://a/b/c/d;p?y"),
    Pair("g?y", "http://a/b/c/g?y"), Pair("#s", "http://a/b/c/d;p?q"), Pair("g#s", "http://a/b/c/g"),
    Pair("g?y#s", "http://a/b/c/g?y"), Pair(";x", "http://a/b/c/;x"), Pair("g;x", "http://a/b/c/g;x"),
    Pair("g;x?y#s", "http://a/b/c/g;x?y"), Pair(".", "http://a/b/c/"), Pair("./", "http://a/b/c/"),
    Pair("..", "http://a/b/"), Pair("../", "http://a/b/"), Pair("../g", "http://a/b/g"), Pair("../..", "http://a/"),
    Pair("../../", "http://a/"), Pair("../../g", "http://a/g"),
    Pair("../../../g", "http://a/g"), Pair("../../../../g", "http://a/g"), Pair("/./g", "http://a/g"),
    Pair("/../g", "http://a/g"), Pair("g.", "http://a/b/c/g."), Pair(".g", "http://a/b/c/.g"),
    Pair("g..", "http://a/b/c/g.."), Pair("..g", "http://a/b/c/..g"), Pair("./../g", "http://a/b/g"),
    Pair("./g/.", "http://a/b/c/g/"), Pair("g/./h", "http://a/b/c/g/h"), Pair("g/../h", "http://a/b/c/h"),
    Pair("g;x=1/./y", "http://a/b/c/g;x=1/y"), Pair("g;x=1/../y", "http://a/b/c/y"),
    Pair("g?y/./x", "http://a/b/c/g?y/./x"), Pair("g?y/../x", "http://a/b/c/g?y/../x"),
    Pair("g#s/./x", "http://a/b/c/g"), Pair("g#s/../x", "http://a/b/c/g"),
  ])
  func `references resolve as in RFC 3986 section 5 point 4`(_ pair: Pair) throws {
    #expect(try follow(pair.input, from: "http://a/b/c/d;p?q") == pair.due)
  }

  @Test(arguments: [
    Pair("https://other.example/x", "https://other.example/x"),
    Pair("http://other.example", "http://other.example/"),
    Pair("HTTP://Other.example:80/a/../b/./c?d/../e", "http://other.example/b/c?d/../e"),
    Pair("//other.example:444/x", "https://other.example:444/x"),
    Pair("//other.example:443", "https://other.example/"),
    Pair(" /outer blanks ", "https://h.example:8443/outer%20blanks"),
    Pair("/a b/ü", "https://h.example:8443/a%20b/%C3%BC"),
    Pair("?x=a+b%2Bc%20d|", "https://h.example:8443/dir/page?x=a+b%2Bc%20d%7C"),
    Pair("/p?sig=a%2Bb+c%20d%2Fe&empty=&b=2&a=1", "https://h.example:8443/p?sig=a%2Bb+c%20d%2Fe&empty=&b=2&a=1"),
    Pair("/%2e%2e/x", "https://h.example:8443/%2e%2e/x"),
    Pair("/a//../b", "https://h.example:8443/a/b"),
    Pair("//bücher.test/", "https://xn--bcher-kva.test/"),
    Pair("/..//evil.example/", "https://h.example:8443//evil.example/"),
    Pair("#", "https://h.example:8443/dir/page?old"),
    Pair("http://127.0.0.9/", "http://127.0.0.9/"),
  ])
  func `scheme, host, port and query come from the base only where the reference has none`(_ pair: Pair) throws {
    #expect(try follow(pair.input, from: "https://h.example:8443/dir/page?old") == pair.due)
  }

  @Test(arguments: [
    "", " ", "file:///etc/passwd", "ftp://h.example/", "gopher://h.example/", "data:,x", "javascript:alert(1)", "g:h",
    "http:g", "http:", "http://", "///x", "//", "http://user@h.example/", "//user@h.example/", "http://2130706433/",
    "//0x7f.1/", "/\\h.example", "\\\\h.example", "/a\tb", "/a\r\nX: y", "/%zz", "//h.example:0/", "//[::1%25lo]/",
  ])
  func `a Location that leads to no source URL is the origin's fault`(_ location: String) throws {
    let base = try SourceURL.sample("http://h.example/")
    #expect {
      try base.redirected(to: Array(location.utf8), names: IDN2Names())
    } throws: { error in
      (error as? AvatarError)?.code == .originRedirect
    }
  }

  @Test func `a Location may be as long as a URL and no longer`() throws {
    let base = try SourceURL.sample("http://h.example/")
    let longest = SourceURL.maximumBytes - base.serialized.utf8.count
    #expect(try follow("/" + String(repeating: "x", count: longest), from: base.serialized).utf8.count == 4096)
    #expect(throws: AvatarError.self) {
      try follow("/" + String(repeating: "x", count: longest + 1), from: base.serialized)
    }
  }

  @Test func `bytes of a Location that are not UTF-8 are kept as percent codes`() throws {
    let base = try SourceURL.sample("http://h.example/a/b")
    let next = try base.redirected(to: [0x63, 0xE9, 0x20, 0xFF], names: IDN2Names())
    #expect(next.serialized == "http://h.example/a/c%E9%20%FF")
  }

  private func follow(_ location: String, from base: String) throws -> String {
    try SourceURL.sample(base).redirected(to: Array(location.utf8), names: IDN2Names()).serialized
  }
}

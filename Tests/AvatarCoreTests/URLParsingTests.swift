import AvatarCore
import AvatarNames
import Testing

@Suite("What the parser makes of a source URL")
struct URLParsingTests {
  @Test(arguments: [
    Pair("http://example.com/a.png", "http://example.com/a.png"),
    Pair("https://example.com", "https://example.com/"),
    Pair("http://example.com?x=1", "http://example.com/?x=1"),
    Pair("http://example.com?", "http://example.com/?"),
    Pair("http://example.com#top", "http://example.com/"),
    Pair("http://example.com/a?b#c?d", "http://example.com/a?b"),
    Pair("HTTP://EXAMPLE.com/Path?Query", "http://example.com/Path?Query"),
    Pair("http://example.com:80/", "http://example.com/"),
    Pair("https://example.com:443/", "https://example.com/"),
    Pair("https://example.com:80/", "https://example.com:80/"),
    Pair("http://example.com:/", "http://example.com/"),
    Pair("http://example.com:00080/", "http://example.com/"),
    Pair("http://example.com:65535/", "http://example.com:65535/"),
    Pair("  http://example.com/a b ", "http://example.com/a%20b"),
  ])
  func `the canonical form lowers scheme and host and drops default port and fragment`(_ pair: Pair) {
    #expect(SourceURL.outcome(pair.input) == pair.due)
  }

  @Test(arguments: [
    Pair("/a b.png", "/a%20b.png"),
    Pair("/łódź測.png", "/%C5%82%C3%B3d%C5%BA%E6%B8%AC.png"),
    Pair("/E+P-003.png", "/E+P-003.png"),
    Pair("/E%2BP-003.png", "/E%2BP-003.png"),
    Pair("/(a)[1]'x;y,z.png?sizes=300x300|174s", "/(a)%5B1%5D'x;y,z.png?sizes=300x300%7C174s"),
    Pair("/~/m/lk%20lo.png", "/~/m/lk%20lo.png"),
    Pair("/%7E/%7e", "/%7E/%7e"),
    Pair("/a//b/./../c/", "/a//b/./../c/"),
    Pair("/..", "/.."),
    Pair("/%2e%2E/%2F%00%0d", "/%2e%2E/%2F%00%0d"),
    Pair("/a?b?c/../d&&e==f&", "/a?b?c/../d&&e==f&"),
    Pair("/\"<>^`{|}", "/%22%3C%3E%5E%60%7B%7C%7D"),
    Pair("/-._~!$&'()*+,;=:@", "/-._~!$&'()*+,;=:@"),
    Pair("/p?q=%E2%9C%93 ✓", "/p?q=%E2%9C%93%20%E2%9C%93"),
    Pair("//double", "//double"),
    Pair("/a:b@c", "/a:b@c"),
    Pair("/?u=http://user:pass@other/", "/?u=http://user:pass@other/"),
  ])
  func `path and query stay as they are but for odd bytes`(_ pair: Pair) {
    #expect(SourceURL.outcome("https://h.example" + pair.input) == "https://h.example" + pair.due)
  }

  @Test(arguments: [
    Pair("example.com.", "example.com."),
    Pair("my_host.example", "my_host.example"),
    Pair("-a-.r3---sn.example", "-a-.r3---sn.example"),
    Pair("1.2.3.4.example", "1.2.3.4.example"),
    Pair("0x7f.example", "0x7f.example"),
    Pair("1e5", "1e5"),
    Pair("xn--bcher-kva.test", "xn--bcher-kva.test"),
    Pair("bücher.test", "xn--bcher-kva.test"),
    Pair("BÜCHER.test", "xn--bcher-kva.test"),
    Pair("bu\u{308}cher.test", "xn--bcher-kva.test"),
    Pair("faß.example", "xn--fa-hia.example"),
    Pair("例え。テスト", "xn--r8jz45g.xn--zckzah"),
    Pair("ＥＸＡＭＰＬＥ.com", "example.com"),
    Pair("local\u{AD}host", "localhost"),
    Pair("bücher.test.", "xn--bcher-kva.test."),
    Pair("192.0.2.1", "192.0.2.1"),
    Pair("255.255.255.255", "255.255.255.255"),
    Pair("１２７.0.0.9", "127.0.0.9"),
    Pair("127。0。0。9", "127.0.0.9"),
    Pair("[2001:DB8:0:0::1]", "[2001:db8::1]"),
    Pair("[::ffff:7f00:9]", "[::ffff:127.0.0.9]"),
    Pair("[::127.0.0.9]", "[::7f00:9]"),
    Pair("[::]", "[::]"),
  ])
  func `hosts come out in the one form that is looked up`(_ pair: Pair) {
    #expect(SourceURL.outcome("http://\(pair.input)/p") == "http://\(pair.due)/p")
  }

  @Test func `bytes that are not UTF-8 are kept as percent codes`() throws {
    let latin = Array("http://h.example/caf".utf8) + [0xE9, 0xFF] + Array("?q=".utf8) + [0xFC]
    let url = try SourceURL(parsingBytes: latin, names: IDN2Names())
    #expect(url.serialized == "http://h.example/caf%E9%FF?q=%FC")
  }

  @Test func `the parts are those of the canonical text`() throws {
    let url = try SourceURL.sample("HTTPS://Example.com:8443/a b?c#d")
    #expect(url.scheme == .https)
    #expect(url.host == .name("example.com"))
    #expect(url.port == 8443)
    #expect(url.pathAndQuery == "/a%20b?c")
    #expect(!url.hasDefaultPort)
    #expect(url.withoutQuery == "https://example.com:8443/a%20b")
    let plain = try SourceURL.sample("http://[::1]")
    #expect(plain.host == .address(.v6(high: 0, low: 1)))
    #expect(plain.port == 80)
    #expect(plain.hasDefaultPort)
    #expect(plain.withoutQuery == plain.serialized)
  }

  @Test func `two spellings of one URL are equal and hash alike, two URLs are not`() throws {
    let one = try SourceURL.sample("http://EXAMPLE.com:80/ä#x")
    let other = try SourceURL.sample("http://example.com/%C3%A4")
    #expect(one == other)
    #expect(Set([one, other]).count == 1)
    for (left, right) in [
      ("http://my.site.example/p", "http://mysite.example/p"), ("http://11.11.11.11/p", "http://1.111.1.111/p"),
      ("http://e.example/p", "https://e.example/p"), ("http://e.example/%7E", "http://e.example/~"),
      ("http://e.example/p", "http://e.example/p?"), ("http://e.example/p", "http://e.example./p"),
    ] {
      #expect(try SourceURL.sample(left) != SourceURL.sample(right), "\(left) \(right)")
    }
  }

  @Test func `the limit of 4,096 bytes counts as given and as canonical text`() throws {
    let start = "http://h.example/"
    let rest = SourceURL.maximumBytes - start.utf8.count
    #expect(try SourceURL.sample(start + String(repeating: "x", count: rest)).serialized.utf8.count == 4096)
    #expect(SourceURL.outcome(start + String(repeating: "x", count: rest + 1)) == "invalid_source_url")
    #expect(SourceURL.outcome(start + String(repeating: " ", count: rest / 3 - 1) + "x") != "invalid_source_url")
    #expect(SourceURL.outcome(start + String(repeating: "ü", count: rest / 4)) == "invalid_source_url")
    #expect(SourceURL.outcome(start + "#" + String(repeating: "x", count: rest)) == "invalid_source_url")
  }
}

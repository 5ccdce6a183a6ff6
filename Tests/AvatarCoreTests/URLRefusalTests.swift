import AvatarCore
import AvatarNames
import Testing

@Suite("What the parser refuses")
struct URLRefusalTests {
  @Test(arguments: [
    "", " ", "%", "x", "/x.png", "//h.example/x", "http", "http:", "http:/", "http://", "http:///x.png", "http://?x",
    "https://:80/", "http://#", "http:// /x", "http:h.example", "http:/h.example/", "://h.example/", "http//h.example",
    "http ://h.example/", " \u{A0}http://h.example/",
  ])
  func `what is not an absolute URL with a host`(_ text: String) {
    #expect(SourceURL.outcome(text) == "invalid_source_url")
  }

  @Test(arguments: [
    "data:image/png;base64,iVBORw0KGgo=", "file:///etc/passwd", "ftp://h.example/x.png", "gopher://h.example:70/_x",
    "javascript:alert(1)", "blob:http://x/y", "jar:http://h.example/a!/b", "http+unix://%2Fvar%2Frun%2Fx/y",
    "httpx://h.example/", "hhttp://h.example/", "ws://h.example/", "view-source:http://h.example/",
    "ｈttp://h.example/",
  ])
  func `other schemes`(_ text: String) {
    #expect(SourceURL.outcome(text) == "invalid_source_url")
  }

  @Test(arguments: [
    "http://user:pass@h.example/", "http://user@h.example/", "http://@h.example/", "http://:@h.example/",
    "http://good.example:80@127.0.0.9:90/", "http://good.example:80%40127.0.0.9:90/", "http://a@b@c/",
    "http://h.example\\@127.0.0.9/", "http:\\\\127.0.0.9\\trap", "http:/\\127.0.0.9/trap", "http://h.example/a\\b",
    "http://h.example/?a\\b", "http://h.example/#a\\b", "http://good.example&@127.0.0.9#@other.example/",
  ])
  func `user information and backslashes`(_ text: String) {
    #expect(SourceURL.outcome(text) == "invalid_source_url")
  }

  @Test(arguments: Array(UInt8(0)..<0x20) + [0x7F])
  func `a control character wherever it stands`(_ byte: UInt8) {
    let control = String(UnicodeScalar(byte))
    for text in [
      "\(control)http://h.example/", "ht\(control)tp://h.example/", "http:\(control)//h.example/",
      "http://h\(control).example/", "http://h.example:8\(control)0/", "http://h.example/im\(control)g",
      "http://h.example/?a\(control)b", "http://h.example/#a\(control)b", "http://h.example/\(control)",
    ] {
      #expect(SourceURL.outcome(text) == "invalid_source_url", "\(text.debugDescription)")
    }
  }

  @Test(arguments: [
    "2130706433", "2130706441", "0177.0.0.011", "0x7f.0.0.9", "0x7f000009", "0X7F000009", "127.9", "127.0.9", "0x7f.1",
    "127.1", "017700000011", "127.000.000.009", "127.0.0.9.", "127.0.0.0x9", "0", "00", "0x", "1.2.3.256", "1.2.3.4.5",
    "256.1.1.1", "1.2.3", "1..2.3.4", "example.0x1f", "example.123", "99999999999999999999", "１２７.1", "２１３０７０６４３３",
    "0ｘ7f000009", "127。1", "①②⑦.1", "1.2.3.4%00", "%31%32%37.0.0.9", "127%2E0%2E0%2E9",
  ])
  func `numbers in disguise`(_ host: String) {
    #expect(SourceURL.outcome("http://\(host)/") == "invalid_source_url")
  }

  @Test(arguments: [
    ".", "..", ".a", "a..b", "a.example..", "a b", "a%20b", "a%41", "*.example", "a,b", "a;b", "a'b", "a!b", "(a)",
    "a~b",
    "a=b", "a&b", "a+b", "a|b", "a{b}", "a<b", "[", "]", "a[b]", "a／b", "℀.example", "a＠b", "a：80", "a％2f", "a＃b",
    "a\u{200B}.example.\u{FFFD}",
    "\u{AD}", "xn--\u{FC}.example", "\u{301}a.example", "a\u{FFFF}", String(repeating: "a", count: 64) + ".example",
    String(repeating: "abcdefgh.", count: 29), String(repeating: "ü", count: 600),
  ])
  func `hosts that no name server knows`(_ host: String) {
    #expect(SourceURL.outcome("http://\(host)/") == "invalid_source_url")
  }

  @Test func `a host that is not UTF-8`() {
    for bytes: [UInt8] in [[0xE9], [0xC0, 0xAE], [0xED, 0xA0, 0x80], [0xFF, 0xFE]] {
      let text = Array("http://a".utf8) + bytes + Array(".example/".utf8)
      #expect(throws: AvatarError.self, "\(bytes)") { try SourceURL(parsingBytes: text, names: IDN2Names()) }
    }
  }

  @Test(arguments: [
    "0", "65536", "99999", "-1", "+80", "abc", "8 0", "80:80", "8_0", "0x50", "８０", "00000", "80a", "%38",
  ])
  func `bad ports`(_ port: String) {
    #expect(SourceURL.outcome("http://h.example:\(port)/") == "invalid_source_url")
    #expect(SourceURL.outcome("http://[::1]:\(port)/") == "invalid_source_url")
  }

  @Test(arguments: [
    "[]", "[:]", "[::1", "::1", "[::1]x", "[::1%25lo]", "[fe80::1%lo]", "[v1.a]", "[1.2.3.4]", "[:::]", "[1::2::3]",
    "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]", "[1:2:3:4:5:6:7::8]", "[12345::]", "[g::]", "[::1.2.3]", "[::1.2.3.256]",
    "[::01.2.3.4]", "[1.2.3.4::]", "[::1.2.3.4:5]", "[::1:]", "[:1::]", "[ ::1]", "[::１]", "[[::1]]", "[::1]]",
  ])
  func `bad IPv6 literals`(_ host: String) {
    #expect(SourceURL.outcome("http://\(host)/") == "invalid_source_url")
  }

  @Test(arguments: ["/%", "/%z", "/%zz", "/%1", "/%1z", "/a%", "/?%", "/?a=%g0", "/%%20", "/%２0", "/?100%"])
  func `bad percent-encoding`(_ target: String) {
    #expect(SourceURL.outcome("http://h.example\(target)") == "invalid_source_url")
  }

  @Test(arguments: [
    "http://user:secret@h.example/", "http://h.example/%zz?token=secret", "secret://h/", "http://secret..h/",
  ])
  func `a refusal's detail holds nothing of the URL`(_ text: String) {
    #expect {
      try SourceURL.sample(text)
    } throws: { error in
      !"\(error)".contains("secret")
    }
  }
}

import Testing

@testable import AvatarHTTP

@Suite struct RequestTargetTests {
  @Test(
    "A target that is served keeps every byte of its path and query",
    arguments: [
      ("/", "/", nil, nil),
      ("/avatar/aB-_9/Zm9v.jpg", "/avatar/aB-_9/Zm9v.jpg", nil, nil),
      ("/a?b", "/a", "b", nil),
      ("/a?", "/a", "", nil),
      ("/a?b?c/..&d=%2e%2E", "/a", "b?c/..&d=%2e%2E", nil),
      ("/avatar?src=https://x.example/a%20b?c=d", "/avatar", "src=https://x.example/a%20b?c=d", nil),
      ("/a?x[]=|^{}`\\", "/a", "x[]=|^{}`\\", nil),
      ("/a/...", "/a/...", nil, nil),
      ("/a/.b/..c", "/a/.b/..c", nil, nil),
      ("//a", "//a", nil, nil),
      ("/a%20b%C3%a9", "/a%20b%C3%a9", nil, nil),
      ("http://h", "/", nil, "h"),
      ("HTTPS://h:80/a?b", "/a", "b", "h:80"),
      ("http://h?b", "/", "b", "h"),
      ("http://[::1]:80/a", "/a", nil, "[::1]:80"),
    ] as [(String, String, String?, String?)])
  func taken(text: String, path: String, query: String?, authority: String?) throws {
    let target = try #require(RequestTarget(Array(text.utf8)), "\(text)")
    #expect(target.path == path, "\(text)")
    #expect(target.query == query, "\(text)")
    #expect(target.authority == authority, "\(text)")
  }

  @Test(
    "A target that hides something is refused",
    arguments: [
      "", "a", "*", "?a", "example.com:443", "ftp://h/a", "http:///a", "http://", "http://u@h/a", "http:/h/a",
      "/.", "/..", "/a/.", "/a/..", "/a/./b", "/a/../b", "/../b", "/a/%2e", "/a/%2E%2e/b", "/a/.%2e", "/a/%2e./b",
      "/a/..?b",
      "/a%00", "/a?b%00", "/a%", "/a%2", "/a%zz", "/a?b=%", "/a?b=%zz", "/a%2\u{E9}",
      "/a b", "/a\tb", "/a\u{7F}", "/a\u{1}", "/a#b", "/a\"b", "/a<b>", "/a\\b", "/a[b]", "/a|b", "/a^b", "/a{b}",
      "/a`b",
      "/a?<b>", "/a?\"b\"", "/a?b#c", "/é", "/a?é",
    ])
  func refused(text: String) { #expect(RequestTarget(Array(text.utf8)) == nil, "\(text)") }

  @Test func `Every byte is either in the alphabet or refused`() {
    for byte in UInt8.min...UInt8.max {
      let isPath = RequestTarget([0x2F, byte]) != nil
      let isQuery = RequestTarget([0x2F, 0x3F, byte]) != nil
      let allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~!$&'()*+,;=:@/?"
      // A lone dot is a dot segment, a lone percent sign is broken.
      #expect(isPath == allowed.utf8.contains(byte), "byte \(byte) in a path")
      #expect(isQuery == (allowed + ".[]|^{}`\\").utf8.contains(byte), "byte \(byte) in a query")
    }
  }
}

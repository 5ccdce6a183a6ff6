import AvatarNames
import Testing

@Suite("International names")
struct InternationalNamesTests {
  @Test(arguments: [
    Pair("bücher.test", "xn--bcher-kva.test"), Pair("faß.de", "xn--fa-hia.de"),
    Pair("中国.cn", "xn--fiqs8s.cn"), Pair("правда.рф", "xn--80aafi6cg.xn--p1ai"), Pair("example.com", "example.com"),
    Pair("ÅÄÖ.se", "xn--4cab6c.se"), Pair("１.２", "1.2"),
  ])
  func `names become what is looked up`(_ pair: Pair) {
    #expect(IDN2Names().ascii(pair.input) == pair.due)
  }

  @Test(arguments: [
    "bü\0cher.test", "\u{301}bc.test", String(repeating: "ü", count: 64) + ".test", "a\u{200D}ü.test", "\u{FFFD}.test",
  ])
  func `what is not a name is refused`(_ name: String) {
    #expect(IDN2Names().ascii(name) == nil)
  }
}

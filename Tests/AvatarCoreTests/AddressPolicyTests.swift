import AvatarCore
import Testing

@Suite("Which addresses may be connected to")
struct AddressPolicyTests {
  /// First and last address of every class, and the neighbours outside.
  @Test(arguments: [
    Pair("0.0.0.0", "unspecified"), Pair("0.0.0.1", "reserved"), Pair("0.255.255.255", "reserved"),
    Pair("1.0.0.0", ""), Pair("9.255.255.255", ""), Pair("10.0.0.0", "private"), Pair("10.255.255.255", "private"),
    Pair("11.0.0.0", ""), Pair("100.63.255.255", ""), Pair("100.64.0.0", "cgnat"), Pair("100.100.100.200", "cgnat"),
    Pair("100.127.255.255", "cgnat"), Pair("100.128.0.0", ""), Pair("126.255.255.255", ""),
    Pair("127.0.0.0", "loopback"), Pair("127.255.255.255", "loopback"), Pair("128.0.0.0", ""),
    Pair("168.63.129.15", ""), Pair("168.63.129.16", "cloud platform"), Pair("168.63.129.17", ""),
    Pair("169.253.255.255", ""), Pair("169.254.0.0", "link-local"), Pair("169.254.169.254", "link-local"),
    Pair("169.254.255.255", "link-local"), Pair("169.255.0.0", ""), Pair("172.15.255.255", ""),
    Pair("172.16.0.0", "private"), Pair("172.31.255.255", "private"), Pair("172.32.0.0", ""),
    Pair("191.255.255.255", ""), Pair("192.0.0.0", "reserved"), Pair("192.0.0.255", "reserved"), Pair("192.0.1.0", ""),
    Pair("192.0.2.0", "documentation"), Pair("192.0.2.255", "documentation"), Pair("192.0.3.0", ""),
    Pair("192.88.99.1", "reserved"), Pair("192.88.100.0", ""), Pair("192.167.255.255", ""),
    Pair("192.168.0.0", "private"), Pair("192.168.255.255", "private"), Pair("192.169.0.0", ""),
    Pair("198.17.255.255", ""), Pair("198.18.0.0", "benchmark"), Pair("198.19.255.255", "benchmark"),
    Pair("198.20.0.0", ""), Pair("198.51.100.1", "documentation"), Pair("203.0.113.1", "documentation"),
    Pair("223.255.255.255", ""), Pair("224.0.0.0", "multicast"), Pair("239.255.255.255", "multicast"),
    Pair("240.0.0.0", "reserved"), Pair("255.255.255.255", "reserved"), Pair("8.8.8.8", ""),
  ])
  func `IPv4 by its class`(_ pair: Pair) throws {
    #expect(try reason(pair.input) == pair.due)
  }

  @Test(arguments: [
    Pair("::", "unspecified"), Pair("::1", "loopback"), Pair("fe80::1", "link-local"), Pair("febf::1", "link-local"),
    Pair("fec0::1", "private"), Pair("fc00::1", "unique-local"), Pair("fdff:ffff::1", "unique-local"),
    Pair("ff02::1", "multicast"), Pair("2001:db8::1", "documentation"), Pair("3fff::1", "documentation"),
    Pair("3fff:fff::1", "documentation"), Pair("3fff:1000::1", ""), Pair("2001:2::1", "benchmark"),
    Pair("2001:10::1", "reserved"), Pair("2001:20::1", "reserved"), Pair("2001:1ff::1", "reserved"),
    Pair("2001:200::1", ""), Pair("100::1", "reserved"), Pair("5f00::1", "reserved"), Pair("1fff::1", "reserved"),
    Pair("2000::1", ""), Pair("2606:4700::6810:84e5", ""), Pair("3ffe::1", ""), Pair("4000::1", "reserved"),
    Pair("fbff::1", "reserved"), Pair("64:ff9b:2::1", "reserved"),
  ])
  func `IPv6 by its class`(_ pair: Pair) throws {
    #expect(try reason(pair.input) == pair.due)
  }

  @Test(arguments: [
    Pair("::ffff:127.0.0.9", "loopback"), Pair("::ffff:7f00:9", "loopback"),
    Pair("::ffff:169.254.169.254", "link-local"),
    Pair("::ffff:0.0.0.0", "unspecified"), Pair("::ffff:8.8.8.8", ""), Pair("::127.0.0.9", "loopback"),
    Pair("::10.0.0.1", "private"), Pair("::8.8.8.8", "reserved"), Pair("::2", "reserved"),
    Pair("64:ff9b::7f00:9", "loopback"), Pair("64:ff9b::192.168.1.1", "private"), Pair("64:ff9b::8.8.8.8", ""),
    Pair("64:ff9b:0:1::8.8.8.8", "reserved"), Pair("64:ff9b:1::10.0.0.1", "private"), Pair("64:ff9b:1::8.8.8.8", ""),
    Pair("64:ff9b:1:a00:0:100::", "reserved"), Pair("64:ff9b:1:1::8.8.8.8", "reserved"),
    Pair("2002:7f00:9::", "loopback"), Pair("2002:a00:1::5", "private"), Pair("2002:808:808::1", ""),
    Pair("2001:0:808:808:0:0:80ff:fff6", "loopback"), Pair("2001:0:7f00:1:0:0:f7f7:f7f7", "loopback"),
    Pair("2001:0:808:808:0:0:f7f7:f7f7", ""),
  ])
  func `an IPv4 address inside another form counts as itself`(_ pair: Pair) throws {
    #expect(try reason(pair.input) == pair.due)
  }

  @Test(arguments: [
    Pair("127.0.0.2", ""), Pair("127.0.0.9", "loopback"), Pair("::ffff:127.0.0.2", ""),
    Pair("::ffff:127.0.0.9", "loopback"),
    Pair("10.9.8.7", ""), Pair("64:ff9b::10.9.8.7", ""), Pair("2002:a09:807::1", ""), Pair("::10.9.8.7", "reserved"),
    Pair("fd12::1", ""), Pair("fd13::1", "unique-local"), Pair("::1", "loopback"),
  ])
  func `the operator's blocks win, inside other forms too`(_ pair: Pair) throws {
    #expect(try reason(pair.input, allowing: ["127.0.0.2/32", "10.0.0.0/8", "fd12::/16"]) == pair.due)
  }

  /// The reason of the refusal, empty where the address is allowed.
  private func reason(_ text: String, allowing blocks: [String] = []) throws -> String {
    let policy = AddressPolicy(allowing: try blocks.map { try #require(AddressBlock($0)) })
    switch policy.verdict(on: try #require(IPAddress(text))) {
    case .allowed: return ""
    case .refused(let reason): return reason
    }
  }
}

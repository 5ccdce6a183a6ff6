import AvatarCore
import Testing

@Suite("Addresses and blocks")
struct IPAddressTests {
  @Test(arguments: [
    Pair("0.0.0.0", "0.0.0.0"), Pair("255.255.255.255", "255.255.255.255"), Pair("192.0.2.1", "192.0.2.1"),
    Pair("::", "::"), Pair("::1", "::1"), Pair("1::", "1::"), Pair("0:0:0:0:0:0:0:0", "::"),
    Pair("2001:DB8::A", "2001:db8::a"), Pair("2001:0db8:0000:0000:0001:0000:0000:0001", "2001:db8::1:0:0:1"),
    Pair("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), Pair("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
    Pair("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"), Pair("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
    Pair("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"), Pair("::ffff:1.2.3.4", "::ffff:1.2.3.4"),
    Pair("::FFFF:0102:0304", "::ffff:1.2.3.4"), Pair("64:ff9b::1.2.3.4", "64:ff9b::102:304"),
    Pair("::1.2.3.4", "::102:304"),
  ])
  func `an address is written as in RFC 5952 and reads back as itself`(_ pair: Pair) throws {
    let address = try #require(IPAddress(pair.input))
    #expect(address.text == pair.due)
    #expect(IPAddress(address.text) == address)
  }

  @Test(arguments: [
    "", "1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.04", "1.2.3.256", "1.2.3.4 ", " 1.2.3.4", "1.2.3.-4", "1.2.3.+4",
    "0x1.2.3.4", "1.2.3.4/8", ":", ":::", "::1::", "1:2:3:4:5:6:7:8::", "1:2:3:4:5:6:7", "::1%lo", "[::1]", "::12345",
    "::g", "1.2.3.4::", "::1.2.3.4.5", "::ffff:1.2.3", "1::2:", ":1", "1:", "１.2.3.4",
    "0000:0000:0000:0000:0000:0000:0000:00000:",
  ])
  func `nothing else is an address`(_ text: String) {
    #expect(IPAddress(text) == nil)
  }

  @Test func `every IPv6 text that is written reads back as the same address`() throws {
    var random = SeededRandom(seed: 20_260_101)
    for _ in 0..<2000 {
      // Groups are often zero, so that runs of every length and place come up.
      let groups = (0..<8).map { _ in UInt64(random.below(3)) == 0 ? UInt64(random.below(65_536)) : 0 }
      let address = IPAddress.v6(
        high: groups[..<4].reduce(0) { $0 << 16 | $1 }, low: groups[4...].reduce(0) { $0 << 16 | $1 })
      try #require(IPAddress(address.text) == address, "seed 20260101: \(groups) → \(address.text)")
    }
  }

  struct Membership: Sendable, CustomStringConvertible {
    let block: String
    let inside: [String]
    let outside: [String]
    var description: String { block }
  }

  @Test(arguments: [
    Membership(
      block: "10.0.0.0/8", inside: ["10.0.0.0", "10.255.255.255"],
      outside: ["9.255.255.255", "11.0.0.0", "::ffff:10.0.0.1"]),
    Membership(block: "127.0.0.2/32", inside: ["127.0.0.2"], outside: ["127.0.0.1", "127.0.0.3"]),
    Membership(block: "127.0.0.2", inside: ["127.0.0.2"], outside: ["127.0.0.3"]),
    Membership(block: "0.0.0.0/0", inside: ["0.0.0.0", "255.255.255.255"], outside: ["::"]),
    Membership(block: "192.0.2.128/25", inside: ["192.0.2.128", "192.0.2.255"], outside: ["192.0.2.127"]),
    Membership(block: "::/0", inside: ["::", "ffff::"], outside: ["0.0.0.0"]),
    Membership(block: "fd00::/8", inside: ["fd00::", "fdff::1"], outside: ["fc00::", "fe00::"]),
    Membership(block: "2001:db8::/64", inside: ["2001:db8::ffff:0:0:1"], outside: ["2001:db8:0:1::"]),
    Membership(block: "2001:db8::/65", inside: ["2001:db8::7fff:0:0:1"], outside: ["2001:db8::8000:0:0:0"]),
    Membership(block: "::1", inside: ["::1"], outside: ["::", "::2"]),
    Membership(block: "::2/127", inside: ["::2", "::3"], outside: ["::1", "::4"]),
  ])
  func `a block holds its addresses and no others`(_ case: Membership) throws {
    let block = try #require(AddressBlock(`case`.block))
    for text in `case`.inside { #expect(block.contains(try #require(IPAddress(text))), "\(text)") }
    for text in `case`.outside { #expect(!block.contains(try #require(IPAddress(text))), "\(text)") }
    #expect(AddressBlock(block.text) == block)
  }

  @Test(arguments: [
    "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0.0/a", "10.0.0.5/8", "10/8", "::/129",
    "fd00::1/8", "[::1]/128", "example.com/8", " 10.0.0.0/8", "10.0.0.0/ 8",
  ])
  func `nothing else is a block`(_ text: String) {
    #expect(AddressBlock(text) == nil)
  }
}

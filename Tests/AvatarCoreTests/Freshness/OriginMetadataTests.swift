import AvatarCore
import Testing

@Suite struct OriginMetadataTests {
  typealias Fields = [(String, String)]

  @Test(
    arguments: [
      ("nothing said", [], 0, nil),
      ("max-age", [("cache-control", "max-age=60")], 0, 60),
      ("s-maxage first", [("cache-control", "max-age=60, s-maxage=10")], 0, 10),
      ("s-maxage first though longer", [("cache-control", "max-age=60"), ("cache-control", "s-maxage=100")], 0, 100),
      ("Expires less Date", [("date", Origin.date(0)), ("expires", Origin.date(60))], 0, 60),
      ("Expires without Date", [("expires", Origin.date(60))], 0, 60),
      ("Expires with an unreadable Date", [("date", "tomorrow"), ("expires", Origin.date(60))], 0, 60),
      ("both clocks behind ours", [("date", Origin.date(-500)), ("expires", Origin.date(-440))], 500, 60),
      ("both clocks ahead of ours", [("date", Origin.date(500)), ("expires", Origin.date(560))], 0, 60),
      ("max-age before Expires", [("cache-control", "max-age=60"), ("expires", Origin.date(999))], 0, 60),
      ("unreadable max-age before Expires", [("cache-control", "max-age=x"), ("expires", Origin.date(999))], 0, 0),
      ("public with Expires", [("cache-control", "public"), ("expires", Origin.date(60))], 0, 60),
      ("Expires 0", [("expires", "0")], 0, 0),
      ("Expires -1", [("expires", "-1")], 0, 0),
      ("Expires empty", [("expires", "")], 0, 0),
      ("Expires past", [("expires", "Thu, 01 Jan 1970 00:00:00 GMT")], 0, 0),
      ("Expires of the year 9999", [("expires", "Fri, 31 Dec 9999 23:59:59 GMT")], 0, 1 << 31),
      ("two Expires", [("expires", Origin.date(60)), ("expires", Origin.date(30))], 0, 30),
      ("two Expires, one unreadable", [("expires", Origin.date(60)), ("expires", "never")], 0, 0),
      ("Date a day ahead", [("cache-control", "max-age=1"), ("date", Origin.date(86_400))], 0, 1),
      ("Date behind", [("cache-control", "max-age=100"), ("date", Origin.date(-30))], 30, 100),
      ("Date of 1970", [("date", "Thu, 01 Jan 1970 00:00:00 GMT")], 784_111_777, nil),
      ("Date of the year 1", [("date", "Mon, 01 Jan 0001 00:00:00 GMT")], 1 << 31, nil),
      ("Age", [("age", "40")], 40, nil),
      ("Age less than Date says", [("age", "40"), ("date", Origin.date(-50))], 50, nil),
      ("Age more than Date says", [("age", "60"), ("date", Origin.date(-50))], 60, nil),
      ("Age negative", [("age", "-40")], 0, nil),
      ("Age unreadable", [("age", "old")], 0, nil),
      ("Age a list", [("age", "40, 90")], 40, nil),
      ("Age twice", [("age", "40"), ("age", "90")], 40, nil),
      ("Age beyond all numbers", [("age", "99999999999999999999")], 1 << 31, nil),
    ] as [(String, Fields, Int64, Int64?)])
  func `age and lifetime follow RFC 9111 and survive nonsense`(
    name: String, fields: Fields, age: Int64, lifetime: Int64?
  ) throws {
    let metadata = OriginMetadata(of: try Origin.saying(fields))
    #expect(metadata.initialAge == age, "\(name)")
    #expect(metadata.explicitLifetime == lifetime, "\(name)")
    #expect(metadata.receivedAt == Origin.now, "\(name)")
  }

  @Test func `the exchange's delay counts towards the age, and a clock that went back in between does not`() throws {
    let slow = try Origin.saying([("age", "40")], delay: .milliseconds(3900))
    #expect(OriginMetadata(of: slow).initialAge == 43)
    let dated = try Origin.saying([("date", Origin.date(-2))], delay: .seconds(3))
    #expect(OriginMetadata(of: dated).initialAge == 3)
    let back = try Origin.saying([("age", "40")], delay: .seconds(-100))
    #expect(OriginMetadata(of: back).initialAge == 40)
  }

  @Test(
    arguments: [
      ([("pragma", "no-cache")], .noCache),
      ([("pragma", "no-cache"), ("cache-control", "max-age=5")], []),
      ([("pragma", "No-Cache, x")], .noCache),
      ([("cache-control", "")], []),
      ([("cache-control", "private"), ("cache-control", "no-store")], [.isPrivate, .noStore]),
      ([("expires", Origin.date(5))], .lifetimeByExpires),
      ([("expires", Origin.date(5)), ("cache-control", "max-age=5")], []),
    ] as [(Fields, CacheDirectives)])
  func `directives are kept as bits`(fields: Fields, directives: CacheDirectives) throws {
    #expect(OriginMetadata(of: try Origin.saying(fields)).directives == directives, "\(fields)")
  }

  @Test(
    arguments: [
      ("\"v1\"", "\"v1\""), ("W/\"v1\"", "W/\"v1\""), ("w/\"v1\"", "w/\"v1\""), ("\"\"", "\"\""),
      ("\"a,b\"", "\"a,b\""), ("abc-1.2:gzip", "abc-1.2:gzip"), ("\"é\"", "\"é\""),
      ("*", nil), ("a,*", nil), ("\"a\",*", nil), ("\"a", nil), ("a\"", nil), ("\"a\"b", nil), ("W/", "W/"), ("", nil),
      ("\"a\u{0}b\"", nil), ("\"a\rb\"", nil), ("\"\u{FFFD}\"", nil),
      ("\"" + String(repeating: "x", count: 510) + "\"", "\"" + String(repeating: "x", count: 510) + "\""),
      ("\"" + String(repeating: "x", count: 511) + "\"", nil),
    ] as [(String, String?)])
  func `an entity tag is kept byte for byte if it can be sent back without harm`(tag: String, kept: String?) throws {
    #expect(OriginMetadata(of: try Origin.saying([("etag", tag)])).validators.etag == kept, "\(tag)")
  }

  @Test func `a last modified is kept if it is a date, and two different validators are none`() throws {
    let date = Origin.date(-999)
    #expect(OriginMetadata(of: try Origin.saying([("last-modified", date)])).validators.lastModified == date)
    let bad: [Fields] = [
      [("last-modified", "0"), ("etag", "*")],
      [("last-modified", date), ("last-modified", Origin.date(-5)), ("etag", "\"a\""), ("etag", "\"b\"")],
    ]
    for fields in bad {
      #expect(OriginMetadata(of: try Origin.saying(fields)).validators.isEmpty, "\(fields)")
    }
    let twice: Fields = [("etag", "\"a\""), ("etag", "\"a\"")]
    #expect(OriginMetadata(of: try Origin.saying(twice)).validators.etag == "\"a\"")
  }
}

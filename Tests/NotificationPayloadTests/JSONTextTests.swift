import Foundation
import Testing

@testable import NotificationPayload

/// The scanner takes exactly what RFC 8259 calls JSON, and reads what it means.
struct JSONTextTests {
  static let valid = [
    "{}", "[]", " null ", "true", "false", "0", "-0", "12", "-1.5e+10", "1E2", "\"\"", #""é\u00e9\ud83d\ude00""#,
    #"{"a":1,"a":2}"#, "[[],{},[{}]]", "\r\n\t[1 , 2]\n", #""\"\\\/\b\f\n\r\t""#, #""\ud800""#,
  ]
  static let invalid = [
    "", " ", "{", "}", "[", "]", "[1,]", "{,}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, "{a:1}", "{'a':1}", "01", "-",
    "1.",
    ".5", "1e", "+1", "0x1", "NaN", "nul", "nulll", "True", "\"", "\"a", "\"\\x\"", #""\u12g4""#, #""\u12"#, "\"\n\"",
    "\"\u{0}\"", "{} {}", "1 2", "[1 2]", #"{"a":1 "b":2}"#, "[1}", #"{"a":1]"#, "\u{FEFF}{}", "// {}", "\u{A0}1",
    #"{"a":1,"b"}"#,
  ]

  @Test(arguments: valid) func `JSON is taken`(text: String) { #expect(JSONText(Array(text.utf8)) != nil) }

  @Test(arguments: invalid) func `what is no JSON is refused`(text: String) {
    #expect(JSONText(Array(text.utf8)) == nil)
  }

  @Test(
    arguments: [
      [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
      [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22],
    ] as [[UInt8]])
  func `bytes that are no UTF-8 are refused`(bytes: [UInt8]) { #expect(JSONText(bytes) == nil) }

  @Test(arguments: ["[", #"{"a":"#, #"[{"":"#])
  func `depth costs no stack`(opening: String) {
    let deep = String(repeating: opening, count: (1 << 20) / opening.utf8.count)
    #expect(JSONText(Array(deep.utf8)) == nil)
    let count = 100_000
    let closing = String(opening.compactMap { $0 == "[" ? "]" : $0 == "{" ? "}" : nil }.reversed())
    let whole = String(repeating: opening, count: count) + "1" + String(repeating: closing, count: count)
    #expect(JSONText(Array(whole.utf8)) != nil)
  }

  @Test func `members are seen to the recorded depth and no deeper`() throws {
    let levels = JSONText.recordedDepth + 3
    let deep = String(repeating: #"{"a":"#, count: levels) + "1" + String(repeating: "}", count: levels)
    let text = try #require(JSONText(Array(deep.utf8)))
    var node = 0
    var depth = 0
    while let member = text.member("a", of: node) {
      node = member
      depth += 1
    }
    #expect(depth == JSONText.recordedDepth)
  }

  @Test func `the last of equal names counts, however they are spelled`() throws {
    let text = try #require(JSONText(Array(#"{"ab":1,"a\u0062":2,"abc":3,"\u0061b":"x\ty"}"#.utf8)))
    let node = try #require(text.member("ab", of: 0))
    #expect(text.string(node) == "x\ty")
    #expect(text.member("b", of: 0) == nil)
  }

  @Test(arguments: [
    (#"a\u0041\n"#, "aA\n"), (#"\ud83d\ude00"#, "😀"), (#"\ud83dx"#, "\u{FFFD}x"), (#"\ud83d\u0041"#, "\u{FFFD}A"),
    (#"\ude00"#, "\u{FFFD}"), (#"\ud83d\ud83d\ude00"#, "\u{FFFD}😀"), (#"\u0000"#, "\0"), (#"\\u0041"#, #"\u0041"#),
  ])
  func `a string's contents are decoded, each byte with its origin`(contents: String, means: String) {
    let string = JSONString(contents: Array(contents.utf8)[...])
    #expect(string.bytes.text == means)
    #expect(string.origins.count == string.bytes.count + 1)
    #expect(string.origins.last == contents.utf8.count)
    #expect(zip(string.origins, string.origins.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(JSONString(contents: JSONString.escaped(means.utf8)[...]).bytes.text == means)
  }

  @Test(arguments: [(#"{ "a b" : [ 1 , "x \" y" ] }"#, #"{"a b":[1,"x \" y"]}"#), (#""\\" "#, #""\\""#)])
  func `a compact size counts no blank between values`(text: String, compact: String) {
    #expect(PayloadSizes.compact(Array(text.utf8)[...]) == compact.utf8.count)
  }
}

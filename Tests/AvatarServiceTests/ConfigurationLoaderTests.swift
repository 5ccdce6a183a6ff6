import AvatarCore
import FoundationEssentials
import Glibc
import Testing

@testable import AvatarService

struct ConfigurationLoaderTests {
  @Test(
    arguments: [
      ("{}", [:]),
      ("{a: 1, 'b': [1.5, -2, 0x10, +3, .5, 1e3,],}", ["a": 1, "b": [.number(1.5), -2, 16, 3, .number(0.5), 1000]]),
      ("// c\n{/* d */ \"a\": 'it\\'s', b: \"x\\ty\"}", ["a": "it's", "b": "x\ty"]),
      ("{a: {b: {c: null, d: true}}, e: Infinity}", ["a": ["b": ["c": .null, "d": true]], "e": .number(.infinity)]),
      ("{a: 99999999999999999999, b: 9223372036854775807}", ["a": .number(1e20), "b": .integer(.max)]),
      ("\u{FEFF}{a: 'ünï\\u00e9'}", ["a": "ünïé"]),
    ] as [(String, ConfigurationValue)])
  func `JSON5 becomes a tree`(text: String, tree: ConfigurationValue) throws {
    #expect(try JSON5Text.parseFile(text).root == tree, "\(text)")
  }

  @Test(
    arguments: [
      ("", nil), ("  \n ", nil), ("x y", 1), ("{", 1), ("{\n a: 1\n b: 2\n}", 2), ("{\n a: 1,\n b 2,\n c: 3\n}", 3),
      ("{\n a: 1,\n\n\n b: [1, 2,\n 3 4],\n}", 6), ("{\n // a: 1\n b: \"x,\n c: 1\n}", 3), ("{a: 1}\n}", 1),
      ("{\n a: 'it''s',\n}", 2), ("{\n a: /* , \n , */ 1,\n b: ,\n}", 4), ("{\n a: 1,\n /* never closed", 3),
      ("{a: 01x}", 1),
      (String(repeating: "[", count: 100_000), 1),
    ] as [(String, Int?)])
  func `a text that is not JSON5 is refused with a line`(text: String, line: Int?) {
    do {
      _ = try JSON5Text.parseFile(text)
      Issue.record("accepted \(text.prefix(100))")
    } catch {
      #expect(error.line == line, "\(text.prefix(100))")
    }
  }

  @Test func `members are found by line, whatever strings and comments hold`() throws {
    let text = """
      // { x: 1 }
      {
        a: "} // { , : \\" y: 2",
        /* b: 1,
           c: 2 */ 'd': [ { e: 1 }, ],
        f: { g: 1,
          "h.i": { j: 1 } },
      }
      """
    let outline = try JSON5Text.parseFile(text)
    #expect(outline.lines == ["a": 3, "d": 5, "f": 6, "f.g": 6, "f.h.i": 7, "f.h.i.j": 7])
    #expect(outline.duplicates.isEmpty)
  }

  @Test func `a name that is there twice is found`() throws {
    let outline = try JSON5Text.parseFile("{a: 1,\n b: {a: 1,\n 'a': 2},\n c: [{a: 1}, {a: 2}],\n a: 2}")
    #expect(outline.duplicates.map { "\($0.path):\($0.line)" } == ["b.a:3", "a:5"])
  }

  @Test func `no text makes the outline fail`() {
    var state: UInt64 = 0x5EED_0002
    let alphabet = Array("{}[]:,\"'/*\\\n ab1\u{FF}".utf8)
    for round in 0..<3000 {
      let text = (0..<(round % 60)).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return alphabet[Int(state >> 33) % alphabet.count]
      }
      let outline = JSON5Outline(of: text)
      let line = outline.faultyLine { JSON5Text.parse($0) != nil }
      let lines = text.count { $0 == 10 } + 1
      #expect((line ?? 1) >= 1 && (line ?? 1) <= lines, "round \(round): \(text)")
    }
  }

  @Test func `file, environment and flags are loaded together`() throws {
    let folder = try TemporaryFolder()
    let keys = try folder.write("keys", "0123456789abcdef0123456789abcdef # first\n", mode: 0o600)
    let path = try folder.write("a.json5", "{\n  signingKeysFile: '\(keys)',\n  image: { size: 128 },\n}\n")
    let loader = ConfigurationLoader(
      path: path,
      environment: ["AVATAR_IDENTITY": "[{hosts: ['a.example'], drop: ['t']}]", "AVATAR_CONFIG": "/nowhere"],
      flags: [("requestBudget", "3s")])
    let loaded = try loader.load()
    #expect(loaded.configuration.signingKeys.map(\.count) == [16])
    #expect(loaded.configuration.image.size == 128)
    #expect(loaded.configuration.identity.map(\.drop) == [["t"]])
    #expect(loaded.configuration.requestBudget == .seconds(3))
    #expect(loaded.origins["image.size"] == .file(path: path, line: 3))
    #expect(loaded.warnings.isEmpty, "\(loaded.warnings)")

    let named = ConfigurationLoader(path: nil, environment: ["AVATAR_CONFIG": path], flags: [])
    #expect(try named.load().configuration.image.size == 128)
  }

  @Test func `a reload reads the files anew`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("a.json5", "{log: {level: 'info'}}")
    let invocation = try CommandLineParser.parse(["serve", "--config", path])
    #expect(try invocation.loadConfiguration(environment: [:]).configuration.log.level == .info)
    _ = try folder.write("a.json5", "{log: {level: 'debug'}}")
    #expect(try invocation.loadConfiguration(environment: [:]).configuration.log.level == .debug)
  }

  @Test func `files that cannot be read are faults with the reason`() throws {
    let folder = try TemporaryFolder()
    let cases: [(String, String)] = [
      (folder.path + "/missing", "No such file or directory"), (folder.path, "Is a directory"),
      (try folder.write("empty", ""), "is not valid JSON5: it is empty"),
      (try folder.write("broken", "{\n a 1\n}"), "broken:2): is not valid JSON5 from this line on"),
      (try folder.write("list", "[]"), "must be an object"),
      (try folder.write("large", "{}" + String(repeating: " ", count: 1 << 20)), "more than 1MiB"),
      (try folder.write("latin", [0x7B, 0xE9, 0x7D]), "not UTF-8"),
      (try folder.write("twice", "{listen: '[::1]:1',\n listen: '[::1]:2'}"), "twice:2): is given twice"),
    ]
    for (path, reason) in cases {
      do {
        _ = try ConfigurationLoader(path: path, environment: [:], flags: []).load()
        Issue.record("loaded \(path)")
      } catch {
        #expect(error.faults.count == 1 && "\(error)".contains(reason), "\(error)")
      }
    }
  }

  @Test func `every user's permission to read secrets is noticed`() throws {
    let folder = try TemporaryFolder()
    let text = "0123456789abcdef0123456789abcdef"
    for (mode, warnings) in [(0o600, 0), (0o640, 0), (0o604, 1), (0o644, 1)] as [(mode_t, Int)] {
      let keys = try folder.write("keys", text, mode: mode)
      let loaded = try ConfigurationLoader(
        path: try folder.write("a.json5", "{}"), environment: ["AVATAR_SIGNING_KEYS_FILE": keys], flags: []
      ).load()
      #expect(loaded.warnings.count == warnings, "\(mode): \(loaded.warnings)")
    }
  }

  @Test func `check prints what is in effect, or every fault with exit 78`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("a.json5", "{\n  controlTokens: ['0123456789'],\n}\n", mode: 0o600)
    let good = CommandResult.check(try CommandLineParser.parse(["check", "--config", path]), environment: [:])
    #expect(good.exitStatus == 0)
    #expect(good.output.contains("  // controlTokens: (1 token), \(path):2\n"), "\(good.output)")
    #expect(good.output.contains("  listen: \"127.0.0.1:8080\",  // default\n"))
    #expect(good.complaint.hasPrefix("avatar-server: warning: unsigned avatar URLs are served"))
    // What is printed is a configuration file again, with the same effect.
    let again = try folder.write("b.json5", good.output)
    let second = CommandResult.check(try CommandLineParser.parse(["check", "--config", again]), environment: [:])
    #expect(second.exitStatus == 0 && second.output.contains("requestBudget: \"4s\""))

    let bad = try CommandLineParser.parse(["check", "--config", path, "--image-size=1", "--request-budget=4"])
    let result = CommandResult.check(bad, environment: ["AVATAR_X": "1"])
    #expect(result.exitStatus == 78 && result.output.isEmpty)
    #expect(result.complaint.hasPrefix("avatar-server: the configuration has 3 faults:\n"), "\(result.complaint)")
    #expect(result.complaint.split(separator: "\n").count == 4)
  }
}

/// A folder that goes when the test ends.
final class TemporaryFolder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/avatar-server-test-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ name: String, _ text: String, mode: mode_t = 0o644) throws -> String {
    try write(name, Array(text.utf8), mode: mode)
  }

  func write(_ name: String, _ bytes: [UInt8], mode: mode_t = 0o644) throws -> String {
    let file = path + "/" + name
    try Data(bytes).write(to: URL(filePath: file))
    #expect(chmod(file, mode) == 0)
    return file
  }
}

import AvatarCore
import AvatarHTTP
import Glibc
import Testing

@testable import struct AvatarHTTP.PlainRequest
@testable import struct AvatarHTTP.RequestRules
@testable import struct AvatarHTTP.RequestTarget

/// Requests broken at random against a second reading of the same bytes that was written for clarity alone.
@Suite struct MutationTests {
  @Test func `Of two requests with random damage exactly those are served that a strict reader finds`() throws {
    // AVATAR_TEST_SEED repeats a run.
    let given = getenv("AVATAR_TEST_SEED").flatMap { UInt64(String(cString: $0)) }
    let seed = given ?? UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    let test = try TestServer(HTTPServerOptions(methods: [.get, .head, .post], maximumBodyBytes: 10_000, threads: 1))
    var expected: [String] = []
    var texts: [String] = []
    for round in 0..<600 {
      let bytes = damagedPair(round, &random)
      texts.append(String(decoding: bytes, as: UTF8.self).debugDescription)
      let reading = StrictReader.read(bytes)
      expected += reading.paths
      let client = try test.client()
      client.send(bytes)
      for (method, path) in zip(reading.methods, reading.paths) {
        let answer = client.receiveAnswer(toHead: method == "HEAD")
        #expect(answer?.status == 200, "seed \(seed), round \(round), \(path) in \(texts[round])")
      }
    }
    let client = try test.client()
    client.send(.get("/alive"))
    #expect(client.receiveAnswer()?.text == "/alive", "seed \(seed)")
    // The order between connections is not promised.
    let (served, right) = (Set(test.handler.paths.dropLast()), Set(expected))
    for path in served.symmetricDifference(right) {
      let rounds = texts.filter { $0.contains(path) }.joined(separator: "\n")
      Issue.record("seed \(seed): \(path) was \(served.contains(path) ? "served" : "not served") in\n\(rounds)")
    }
    Task { await test.server.close() }
  }

  @Test func `What is read from the raw bytes at once is one request, and the one that a strict reader finds`() {
    let given = getenv("AVATAR_TEST_SEED").flatMap { UInt64(String(cString: $0)) }
    let seed = given ?? UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    var taken = 0
    for round in 0..<20_000 {
      var bytes = Array(
        "\(round % 2 == 0 ? "GET" : "HEAD") /a\(round)?b=c HTTP/1.1\r\nHost: a\r\nConnection: Keep-Alive\r\nX:\r\nY: \t b \r\n\r\n"
          .utf8)
      damage(&bytes, 0...2, &random)
      let plain = bytes.withUnsafeBytes { raw in
        PlainRequest(raw).flatMap { request in
          RequestRules(methods: [.get, .head], maximumBodyBytes: 0, maximumTargetBytes: 100).atOnce(request.framing)
            .map { ($0, String(decoding: request.target, as: UTF8.self)) }
        }
      }
      guard let (method, target) = plain else { continue }
      // A known target's bytes are compared with what was read strictly before.
      guard RequestTarget(Array(target.utf8)) != nil else { continue }
      taken += 1
      let reading = StrictReader.read(bytes)
      #expect(
        !reading.isMalformed && reading.isAtEnd && reading.methods == [method.rawValue]
          && reading.paths == [String(target.prefix { $0 != "?" })],
        "seed \(seed): \(String(decoding: bytes, as: UTF8.self).debugDescription)")
    }
    #expect(taken > 5000, "seed \(seed)")
  }

  /// A POST with a second request as its body and a GET behind it, with one to three bytes changed, added or lost.
  private func damagedPair(_ round: Int, _ random: inout SeededGenerator) -> [UInt8] {
    let hidden = "GET /hidden\(round) HTTP/1.1\r\nHost: a\r\n\r\n"
    let head =
      "POST /a\(round)?b=c HTTP/1.1\r\nHost: a\r\nAccept: */*\r\nContent-Length: \(hidden.utf8.count)\r\nX: y\r\n\r\n"
    var bytes = Array(head.utf8)
    damage(&bytes, 1...3, &random)
    return bytes + Array("\(hidden)GET /z\(round) HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
  }

  private func damage(_ bytes: inout [UInt8], _ times: ClosedRange<Int>, _ random: inout SeededGenerator) {
    let odd = Array("\0\r\n\t :;,0%ctT".utf8) + [0xFF]
    for _ in 0..<Int.random(in: times, using: &random) {
      let at = Int.random(in: 0..<bytes.count, using: &random)
      let byte = odd.randomElement(using: &random) ?? 0
      switch Int.random(in: 0..<3, using: &random) {
      case 0: bytes[at] = byte
      case 1: bytes.insert(byte, at: at)
      default: bytes.remove(at: at)
      }
    }
  }
}

/// What a stream of bytes holds, read by RFC 9112 without any leniency but empty lines in front.
struct StrictReader {
  var methods: [String] = []
  var paths: [String] = []
  var isMalformed = false
  /// Whether nothing is left.
  var isAtEnd = false

  static func read(_ bytes: [UInt8]) -> StrictReader {
    var reader = StrictReader()
    var rest = bytes[...]
    while reader.next(&rest) {}
    reader.isAtEnd = rest.isEmpty
    return reader
  }

  /// Takes one request off the front; false at the end, where the rest is incomplete, and where it is malformed.
  private mutating func next(_ rest: inout ArraySlice<UInt8>) -> Bool {
    while rest.starts(with: [13, 10]) || rest.first == 10 { rest.removeFirst(rest.first == 10 ? 1 : 2) }
    guard let lineEnd = rest.firstIndex(of: 10) else { return false }
    let line = rest[..<lineEnd]
    rest = rest[(lineEnd + 1)...]
    let first = String(decoding: line.dropLast(), as: Unicode.ASCII.self)
    if line.last != 13 || line.dropLast().contains(where: { $0 == 13 || $0 == 0 })
      || !(first.hasSuffix(" HTTP/1.1") || first.hasSuffix(" HTTP/1.0")) || first.filter({ $0 == " " }).count != 2
    {
      isMalformed = true
      return false
    }
    var fields: [ArraySlice<UInt8>] = []
    var ending: ArraySlice<UInt8>
    repeat {
      guard let end = rest.firstIndex(of: 10) else { return false }
      ending = rest[..<end]
      rest = rest[(end + 1)...]
      if Self.isEnding(ending, after: fields.count) { break }
      fields.append(ending)
    } while fields.last?.contains(58) ?? true
    guard let texts = Self.texts(of: fields, ending: ending), let body = judge(first, texts) else {
      isMalformed = true
      return false
    }
    guard rest.count >= body else { return false }
    rest = rest.dropFirst(body)
    let parts = first.split(separator: " ")
    methods.append(String(parts[0]))
    paths.append(String(parts[1].prefix { $0 != "?" }))
    return !parts[2].hasSuffix("0")  // HTTP/1.0 ends here.
  }

  /// Whether the library takes a line for the empty one: it looks for a NUL, and has put one where the first colon was.
  private static func isEnding(_ line: ArraySlice<UInt8>, after fields: Int) -> Bool {
    line.isEmpty || line.elementsEqual([13]) || line.first == 0 || (line.first == 58 && fields > 0)
  }

  /// The fields' texts; nil where a line does not end as it must.
  ///
  /// The library leaves a NUL for each CR, LF and leading colon, so that some endings cannot be told from CRLF: NUL LF after a
  /// field, and after the last one any four of these bytes that it takes for the end of the line and an empty line.
  private static func texts(of fields: [ArraySlice<UInt8>], ending: ArraySlice<UInt8>) -> [String]? {
    var texts: [String] = []
    for (index, field) in fields.enumerated() {
      let text = field.prefix { $0 != 0 && $0 != 13 }
      let rest = field[text.endIndex...]
      guard rest.dropLast().allSatisfy({ $0 == 0 }) else { return nil }
      if index < fields.count - 1 {
        guard rest.count == 1 else { return nil }
      } else {
        guard rest.count + 1 + ending.count + 1 == 4, ending.dropFirst().allSatisfy({ $0 == 13 }) else { return nil }
      }
      texts.append(String(decoding: text, as: Unicode.ASCII.self))
    }
    return fields.isEmpty && ending.count != 1 ? nil : texts
  }

  /// The body's length, nil where the head is not acceptable.
  private func judge(_ line: String, _ fields: [String]) -> Int? {
    let parts = line.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 3, ["GET", "HEAD", "POST"].contains(parts[0]), RequestTarget(Array(parts[1].utf8)) != nil
    else {
      return nil
    }
    var hosts: [String] = []
    var lengths: [String] = []
    let token = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    for field in fields {
      guard let colon = field.firstIndex(of: ":"), colon != field.startIndex,
        field[..<colon].allSatisfy({ token.contains($0) })
      else { return nil }
      var value = field[colon...].dropFirst()
      while value.first == " " || value.first == "\t" { value.removeFirst() }
      // RFC 9110 allows blanks after the number; the library refuses them.
      if field[..<colon].lowercased() == "content-length", value.last == " " || value.last == "\t" { return nil }
      while value.last == " " || value.last == "\t" { value.removeLast() }
      switch field[..<colon].lowercased() {
      case "host": hosts.append(String(value))
      case "content-length": lengths.append(String(value))
      case "transfer-encoding": return nil
      default: break
      }
    }
    guard hosts.count == 1 || (hosts.isEmpty && parts[2] == "HTTP/1.0"), lengths.count <= 1 else { return nil }
    guard hosts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { token.contains($0) || ":;,=()[]@".contains($0) } }) else {
      return nil
    }
    guard let length = lengths.first else { return 0 }
    guard !length.isEmpty, length.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(length), number <= 10_000
    else {
      return nil
    }
    return parts[0] == "POST" || number == 0 ? number : nil
  }
}

/// SplitMix64: a generator that gives the same numbers for the same seed.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

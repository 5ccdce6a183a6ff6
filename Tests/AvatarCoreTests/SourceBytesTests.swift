import Glibc
import Testing

@testable import AvatarCore

@Suite struct SourceBytesTests {
  private func append(_ bytes: [UInt8], to source: SourceBytes) { bytes.withUnsafeBytes { source.append($0) } }

  @Test func `nothing is there until something was added`() {
    for capacity in [0, 1, SourceBytes.smallestMapping] {
      let source = SourceBytes(capacity: capacity)
      append([], to: source)
      #expect(source.isEmpty && source.count == 0 && source.bytes == [], "\(capacity)")
    }
  }

  @Test(arguments: [
    0, 1, 4096, SourceBytes.smallestMapping - 1, SourceBytes.smallestMapping, SourceBytes.smallestMapping + 1, 2 << 20,
    (2 << 20) + 1,
  ])
  func `bytes stay what they were, announced, in excess of what was announced, or not`(_ count: Int) {
    var random = SeededRandom(seed: 11)
    let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    #expect(SourceBytes(bytes).bytes == bytes)
    for capacity in [0, 1, count / 2, count, count + 1] {
      let source = SourceBytes(capacity: capacity)
      for start in stride(from: 0, to: count, by: 65_536) {
        append(Array(bytes[start..<min(start + 65_536, count)]), to: source)
      }
      #expect(source.count == count && source.bytes == bytes, "room for \(capacity)")
    }
  }

  /// Of the process, in pages: address space and what is resident of it.
  private func pages() throws -> (all: Int, resident: Int) {
    let file = try #require(fopen("/proc/self/statm", "r"))
    defer { fclose(file) }
    var text = [CChar](repeating: 0, count: 128)
    fgets(&text, 128, file)
    let fields = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(
      separator: " ")
    return (try #require(Int(fields[0])), try #require(Int(fields[1])))
  }

  @Test func `room that is not filled is address space, and goes with its owner`() throws {
    let gigabyte = (1 << 30) / 4096
    let before = try pages()
    try withExtendedLifetime(SourceBytes(capacity: 1 << 30)) { source in
      append([UInt8](repeating: 1, count: SourceBytes.earnest), to: source)
      #expect(try pages().all - before.all < gigabyte, "nothing is made room for that is only announced")
      append([1], to: source)
      let during = try pages()
      #expect(during.all - before.all >= gigabyte)
      #expect(during.resident - before.resident < gigabyte / 4)
    }
    #expect(try pages().all - before.all < gigabyte)
  }
}

import Foundation
import Testing

@testable import NotificationAvatarKit

struct SHA256DigestTests {
  static let vectors: [(bytes: [UInt8], hex: String)] = [
    ([], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    (Array("abc".utf8), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8),
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    ([UInt8](repeating: 0x61, count: 55), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
    ([UInt8](repeating: 0x61, count: 56), "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
    ([UInt8](repeating: 0x61, count: 63), "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"),
    ([UInt8](repeating: 0x61, count: 64), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
    ([UInt8](repeating: 0x61, count: 65), "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"),
    ([UInt8](repeating: 0x61, count: 100_000), "6d1cf22d7cc09b085dfc25ee1a1f3ae0265804c607bc2074ad253bcc82fd81ee"),
  ]

  @Test(arguments: vectors.indices)
  func `digests are those of the standard`(index: Int) {
    let vector = Self.vectors[index]
    #expect(SHA256Digest(of: Data(vector.bytes)).hex == vector.hex, "\(vector.bytes.count) bytes")
  }

  @Test func `a slice is digested by its own bytes`() {
    let whole = Data("xxabcxx".utf8)
    #expect(SHA256Digest(of: whole[2..<5]).hex == SHA256Digest(of: Data("abc".utf8)).hex)
  }
}

struct AvatarAddressTests {
  static let hash = String(repeating: "0123456789abcdef", count: 4)
  static let contents: [(String, AvatarAddress.Content?)] = [
    ("https://a.example/x.jpg", .any),
    ("http://a.example", .any),
    ("https://a.example/o/\(hash).jpg", .exact(hash)),
    ("https://a.example/base/o/\(hash).jpg", .exact(hash)),
    ("https://a.example/o/\(hash).jpg?x=1", .exact(hash)),
    ("https://a.example/o/\(hash.dropLast()).jpg", .any),
    ("https://a.example/o/\(hash.uppercased()).jpg", .any),
    ("https://a.example/p/\(hash).jpg", .any),
    ("https://a.example/avatar/sig/src.jpg?v=0123456789abcdef", .version("0123456789abcdef")),
    ("https://a.example/avatar/unsigned/src.jpg?v=0123456789abcdef", .version("0123456789abcdef")),
    ("https://a.example/base/avatar/sig/src.jpg?v=0123456789abcdef", .version("0123456789abcdef")),
    ("https://a.example/avatar/sig/src.jpg", .any),
    ("https://a.example/avatar/sig/src.jpg?v=0123456789abcde", .any),
    ("https://a.example/avatar/sig/src.jpg?v=0123456789abcdeg", .any),
    // An origin's own version, whatever it looks like.
    ("https://a.example/u/31.jpg?v=0123456789abcdef", .any),
    ("https://a.example/a/u/31?v=9f2c", .any),
    ("ftp://a.example/x.jpg", nil), ("file:///etc/passwd", nil), ("data:image/png;base64,AA", nil),
    ("/x.jpg", nil), ("", nil), ("https://", nil), ("https:///x.jpg", nil),
    ("https://user@a.example/x.jpg", nil), ("https://user:word@a.example/x.jpg", nil),
    ("javascript:alert(1)", nil), ("HTTPS://A.example/x", .any),
  ]

  @Test(arguments: contents.indices)
  func `a URL says what its bytes must be, or is refused`(index: Int) {
    let (text, content) = Self.contents[index]
    #expect(AvatarAddress(text)?.content == content, "\(text)")
  }

  @Test func `an exact hash admits its bytes alone`() {
    let digest = SHA256Digest(of: Data("abc".utf8)), other = SHA256Digest(of: Data("abd".utf8))
    let content = AvatarAddress.Content.exact(digest.hex)
    #expect(content.admits(digest, entityTag: nil))
    #expect(!content.admits(other, entityTag: "\"\(other.hex)\""))
  }

  @Test func `a version admits its bytes, and a changed avatar that its ETag vouches for`() {
    let digest = SHA256Digest(of: Data("abc".utf8)), other = SHA256Digest(of: Data("abd".utf8))
    let content = AvatarAddress.Content.version(String(digest.hex.prefix(16)))
    #expect(content.admits(digest, entityTag: nil))
    #expect(content.admits(other, entityTag: "\"\(other.hex)\""))
    for tag in [nil, "", other.hex, "W/\"\(other.hex)\"", "\"\(digest.hex)\"", "\"\(other.hex.prefix(16))\""] {
      #expect(!content.admits(other, entityTag: tag), "\(tag ?? "none")")
    }
  }
}

struct JPEGGlanceTests {
  static let samples: [(name: String, bytes: [UInt8], isReady: Bool)] = [
    ("256x256", Pictures.jpeg(), true),
    ("1x1", Pictures.jpeg(width: 1, height: 1), true),
    ("grey", Pictures.jpeg(components: 1), true),
    ("progressive", Pictures.jpeg(frame: 0xC2), true),
    ("JFIF before the frame", Pictures.jpeg(before: [0xFF, 0xE0, 0, 4, 1, 2]), true),
    ("fill bytes before a marker", Pictures.jpeg(before: [0xFF, 0xFF, 0xFF, 0xE0, 0, 4, 1, 2]), true),
    ("257 wide", Pictures.jpeg(width: 257), false),
    ("257 high", Pictures.jpeg(height: 257), false),
    ("no height", Pictures.jpeg(height: 0), false),
    ("four components", Pictures.jpeg(components: 4), false),
    ("lossless", Pictures.jpeg(frame: 0xC3), false),
    ("arithmetic", Pictures.jpeg(frame: 0xC9), false),
    ("turned by Exif", Pictures.jpeg(before: Pictures.exif), false),
    ("no end", Pictures.jpeg(end: []), false),
    ("half an end", Pictures.jpeg(end: [0xFF]), false),
    ("cut within the frame", Array(Pictures.jpeg().prefix(12)) + [0xFF, 0xD9], false),
    ("two frames", Pictures.jpeg(before: Array(Pictures.jpeg().dropFirst(2).prefix(19))), false),
    ("a segment longer than the file", [0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0xFF, 0, 0xFF, 0xD9], false),
    ("a segment of length 1", [0xFF, 0xD8, 0xFF, 0xE0, 0, 1, 0, 0xFF, 0xD9], false),
    ("no marker where one belongs", [0xFF, 0xD8, 0, 0, 0, 0, 0xFF, 0xD9], false),
    ("start and end alone", [0xFF, 0xD8, 0xFF, 0xD9], false),
    ("PNG", Pictures.png(width: 10, height: 10), false), ("nothing", [], false),
  ]

  @Test(arguments: samples.indices)
  func `what can be shown undecoded is told from what cannot`(index: Int) {
    let sample = Self.samples[index]
    #expect(JPEGGlance.isReady(Data(sample.bytes), side: 256) == sample.isReady, "\(sample.name)")
  }

  @Test func `a slice of a larger file is looked at by its own bytes`() {
    let file = Data([1, 2, 3] + Pictures.jpeg())
    #expect(JPEGGlance.isReady(file.dropFirst(3), side: 256))
  }

  @Test func `damaged bytes never end the program`() {
    let seed: UInt64 = 41
    var random = SeededRandom(seed: seed)
    let whole = Pictures.jpeg(before: Pictures.exif)
    for _ in 0..<20_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        bytes[Int.random(in: 0..<60, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let cut = Int.random(in: 0...bytes.count, using: &random)
      _ = JPEGGlance.isReady(Data(bytes.prefix(cut) + [0xFF, 0xD9]), side: 256)
    }
  }
}

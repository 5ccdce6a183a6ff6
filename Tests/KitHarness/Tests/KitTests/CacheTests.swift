import Foundation
import Testing

@testable import NotificationAvatarKit

struct CacheTests {
  static let picture = Data(Pictures.jpeg())
  static let digest = Pictures.digest(Pictures.jpeg())

  static func address(_ text: String) throws -> AvatarAddress { try #require(AvatarAddress(text), "\(text)") }
  static func age(_ url: URL, _ seconds: TimeInterval) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -seconds)], ofItemAtPath: url.path)
  }

  @Test func `what is stored is found again, by hash or by URL`() throws {
    let folder = try Folder()
    let cache = AvatarCache(directory: folder.url)
    for url in [
      "https://a.example/o/\(Self.digest).jpg", "https://a.example/avatar/s/x.jpg?v=\(Self.digest.prefix(16))",
      "https://a.example/u/31.jpg",
    ] {
      let address = try Self.address(url)
      cache.removeAll()
      #expect(cache.lookup(address) == nil, "\(url)")
      cache.store(Self.picture, for: address)
      #expect(cache.lookup(address) == Self.picture, "\(url)")
    }
  }

  @Test func `one content serves every URL that names it`() throws {
    let folder = try Folder()
    let cache = AvatarCache(directory: folder.url)
    cache.store(Self.picture, for: try Self.address("https://a.example/o/\(Self.digest).jpg"))
    let version = "https://b.example/avatar/s/x.jpg?v=\(Self.digest.prefix(16))"
    #expect(cache.lookup(try Self.address(version)) == Self.picture)
    cache.store(Self.picture, for: try Self.address(version))
    #expect(folder.names.count == 1)
    #expect(cache.lookup(try Self.address("https://b.example/avatar/s/x.jpg?v=0000000000000000")) == nil)
    #expect(cache.lookup(try Self.address("https://b.example/u/31.jpg")) == nil)
  }

  @Test func `a picture that is not what the URL names is kept for that URL, and not for long`() throws {
    let folder = try Folder()
    let cache = AvatarCache(directory: folder.url, lifetime: 100)
    let changed = try Self.address("https://a.example/avatar/s/x.jpg?v=0000000000000000")
    cache.store(Self.picture, for: changed)
    #expect(cache.lookup(changed) == Self.picture)
    #expect(cache.lookup(try Self.address("https://a.example/o/\(Self.digest).jpg")) == nil)
    try Self.age(folder.url.appendingPathComponent(folder.names[0]), 101)
    #expect(cache.lookup(changed) == nil)
  }

  @Test func `a URL's avatar ages, a hash's does not`() throws {
    let folder = try Folder()
    let cache = AvatarCache(directory: folder.url, lifetime: 100)
    let plain = try Self.address("https://a.example/u/31.jpg")
    let exact = try Self.address("https://a.example/o/\(Self.digest).jpg")
    for address in [plain, exact] { cache.store(Self.picture, for: address) }
    for (age, isFound) in [(50.0, true), (99, true), (101, false), (-50, true), (-101, false)] {
      for name in folder.names { try Self.age(folder.url.appendingPathComponent(name), age) }
      #expect((cache.lookup(plain) != nil) == isFound, "\(age) s")
      #expect(cache.lookup(exact) != nil)
    }
  }

  @Test func `a newer picture of one URL wins`() throws {
    let folder = try Folder()
    let cache = AvatarCache(directory: folder.url)
    let plain = try Self.address("https://a.example/u/31.jpg")
    cache.store(Self.picture, for: plain)
    try Self.age(folder.url.appendingPathComponent(folder.names[0]), 60)
    let newer = Data(Pictures.jpeg(filling: 33))
    cache.store(newer, for: plain)
    #expect(cache.lookup(plain) == newer)
  }

  @Test func `damaged files count as missing and go`() throws {
    let folder = try Folder()
    let cache = AvatarCache(directory: folder.url)
    let address = try Self.address("https://a.example/o/\(Self.digest).jpg")
    for damage in [Data(), Self.picture.dropLast(1), Self.picture + [0], Data(repeating: 7, count: Self.picture.count)]
    {
      cache.store(Self.picture, for: address)
      try damage.write(to: folder.url.appendingPathComponent(folder.names[0]))
      #expect(cache.lookup(address) == nil, "\(damage.count) bytes")
      #expect(folder.names.isEmpty, "\(damage.count) bytes")
    }
  }

  @Test func `the oldest go beyond the capacity, and foreign files are let be until they are old`() throws {
    let folder = try Folder()
    let cache = AvatarCache(directory: folder.url, capacity: 64)
    let left = folder.url.appendingPathComponent(".half-written")
    try Data([1]).write(to: left)
    for index in 0..<64 {
      let bytes = Data(Pictures.jpeg(filling: index + 1))
      let address = try Self.address("https://a.example/o/\(SHA256Digest(of: bytes).hex).jpg")
      cache.store(bytes, for: address)
      let name = try #require(folder.names.first { $0.contains(SHA256Digest(of: bytes).hex) })
      try Self.age(folder.url.appendingPathComponent(name), TimeInterval(1000 - index))
    }
    let oldest = SHA256Digest(of: Data(Pictures.jpeg(filling: 1))).hex
    let second = SHA256Digest(of: Data(Pictures.jpeg(filling: 2))).hex
    // A hit makes the oldest the youngest.
    #expect(cache.lookup(try Self.address("https://a.example/o/\(oldest).jpg")) != nil)
    cache.store(Self.picture, for: try Self.address("https://a.example/o/\(Self.digest).jpg"))
    #expect(folder.names.filter { $0.hasSuffix(".jpg") }.count == 64)
    #expect(folder.names.contains("h-\(oldest).jpg"))
    #expect(!folder.names.contains("h-\(second).jpg"))
    #expect(FileManager.default.fileExists(atPath: left.path))
    try Self.age(left, 4000)
    cache.store(Self.picture, for: try Self.address("https://a.example/o/\(Self.digest).jpg"))
    #expect(!FileManager.default.fileExists(atPath: left.path))
  }

  @Test func `a directory that cannot be written costs nothing but the copy`() throws {
    let folder = try Folder()
    let file = folder.url.appendingPathComponent("file")
    try Data([1]).write(to: file)
    let cache = AvatarCache(directory: file.appendingPathComponent("below"))
    let address = try Self.address("https://a.example/u/31.jpg")
    cache.store(Self.picture, for: address)
    #expect(cache.lookup(address) == nil)
  }

  @Test func `parallel instances never read anything but whole pictures`() async throws {
    let folder = try Folder()
    let seed: UInt64 = 7
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<8 {
        group.addTask {
          var random = SeededRandom(seed: seed &+ UInt64(worker))
          let cache = AvatarCache(directory: folder.url, capacity: 8)
          for _ in 0..<60 {
            let bytes = Data(Pictures.jpeg(filling: Int.random(in: 1...24, using: &random)))
            guard let address = AvatarAddress("https://a.example/o/\(SHA256Digest(of: bytes).hex).jpg") else {
              continue
            }
            if Bool.random(using: &random) {
              cache.store(bytes, for: address)
            } else if let found = cache.lookup(address) {
              #expect(found == bytes, "seed \(seed), worker \(worker)")
            }
          }
        }
      }
    }
    AvatarCache(directory: folder.url, capacity: 8).store(
      Self.picture, for: try Self.address("https://a.example/u/1.jpg"))
    #expect(folder.names.count == 8, "\(folder.names)")
  }
}

import AvatarCore
import Testing

@testable import AvatarFetch

@Suite("Content encodings") struct EncodingTests {
  /// `picture` in gzip and zlib form, made by what the system has at test time.
  private static func compressed(_ program: [String], _ bytes: [UInt8] = picture) throws -> [UInt8] {
    try Subprocess.run(program, input: bytes)
  }

  private static func fetched(_ encoding: String, _ body: [UInt8], maxBytes: Int = 1 << 20) async throws -> Result<
    OriginResponse, AvatarError
  > {
    let origin = try RawOrigin(steps: [.send(answer("200 OK", ["Content-Encoding: \(encoding)"], body))])
    let fetcher = try makeFetcher { $0.maxBytes = maxBytes }
    defer { fetcher.close() }
    return await fetcher.outcome(try origin.url())
  }

  @Test func `are undone though nobody asked for them`() async throws {
    let gzip = try Self.compressed(["gzip", "-c"])
    #expect(try await Self.fetched("gzip", gzip).get().source.bytes == picture)
    #expect(try await Self.fetched("x-gzip", gzip).get().source.bytes == picture)
    #expect(try await Self.fetched("gzip, gzip", Self.compressed(["gzip", "-c"], gzip)).get().source.bytes == picture)
    #expect(try await Self.fetched("identity", picture).get().source.bytes == picture)
  }

  @Test(arguments: ["gzip", "deflate", "br", "zstd", "aws-chunked", "utf-8", "none"])
  func `that are a lie do not cost the picture`(encoding: String) async throws {
    #expect(try await Self.fetched(encoding, picture).get().source.bytes == picture, "\(encoding)")
  }

  @Test func `that are damaged are a fault of the origin's`() async throws {
    var gzip = try Self.compressed(["gzip", "-c"])
    gzip.replaceSubrange(2..<6, with: [9, 9, 9, 9])
    #expect(try await Self.fetched("gzip", gzip).code == .originProtocol)
    let whole = try Self.compressed(["gzip", "-c"])
    #expect(try await Self.fetched("gzip", whole + text("and more")).code == .originProtocol)
  }

  @Test func `are counted after they are undone`() async throws {
    let bomb = try Self.compressed(["gzip", "-9", "-c"], [UInt8](repeating: 0, count: 30 << 20))
    #expect(bomb.count < 100_000)
    #expect(try await Self.fetched("gzip", bomb).code == .sourceTooLarge)
    let limit = try Self.compressed(["gzip", "-c"], [UInt8](repeating: 0, count: 5000))
    #expect(try await Self.fetched("gzip", limit, maxBytes: 5000).get().source.count == 5000)
    #expect(try await Self.fetched("gzip", limit, maxBytes: 4999).code == .sourceTooLarge)
  }
}

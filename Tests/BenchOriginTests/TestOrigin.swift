import BenchOrigin
import BenchPictures
import Glibc
import Testing

/// An origin in a thread of its own, with made-up pictures; ends with the test.
final class TestOrigin {
  static let small = 50_000
  static let large = 3_000_000

  /// Eight small pictures, two large ones and a tiny one.
  static let book = PictureBook(
    (0..<8).map { BenchPicture(kind: .jpeg400, bytes: [UInt8](repeating: UInt8($0), count: small)) }
      + (0..<2).map { BenchPicture(kind: .jpeg12MP, bytes: [UInt8](repeating: UInt8($0), count: large)) }
      + [BenchPicture(kind: .svg, bytes: Array("<svg/>".utf8))])

  let origin: BenchOrigin
  private var thread: pthread_t = 0

  init(connectionLimit: Int = 64) throws {
    origin = try BenchOrigin(port: 0, pictures: Self.book, connectionLimit: connectionLimit)
    let passed = Unmanaged.passRetained(origin)
    let result = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<BenchOrigin>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, passed.toOpaque())
    try #require(result == 0)
  }

  deinit {
    origin.stop()
    pthread_join(thread, nil)
  }

  func client() throws -> OriginClient { try OriginClient(to: self) }

  /// The answer to a control request on a connection of its own.
  func control(_ target: String) throws -> OriginAnswer { try client().ask("/-/\(target)") }
}

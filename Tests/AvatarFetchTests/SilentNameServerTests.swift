import AvatarCore
import AvatarNames
import Foundation
import Glibc
import Testing

@testable import AvatarFetch

/// The real resolver against a name server that takes every question and never answers, in a network of its own.
@Suite("A silent name server") struct SilentNameServerTests {
  /// What was made inside the network; the threads of both live there for good.
  private struct Inside: Sendable {
    var fetcher: CurlFetcher
    var origin: RawOrigin
    var questions: QuestionSink
  }

  @Test func `stalls nobody who does not need it, and gives up in time on those who do`() async throws {
    let inside = try await Self.enter()
    let urls = try (0..<40).map { try inside.origin.url("/", name: "h\($0).zone\($0).example") }
    let hanging = Task {
      await withTaskGroup(of: AvatarError.Code?.self) { group in
        for url in urls { group.addTask { await inside.fetcher.code(url) } }
        return await group.reduce(into: [AvatarError.Code?]()) { $0.append($1) }
      }
    }
    #expect(await eventually { inside.fetcher.statistics.lookups == 32 && inside.questions.count > 0 })
    for _ in 0..<10 { #expect(await inside.fetcher.code(try inside.origin.url("/x")) == nil) }
    #expect(inside.fetcher.statistics.lookups == 32, "the look-ups still hang")
    let codes = await hanging.value
    #expect(codes.filter { $0 == .originTimedOut }.count == 32, "\(codes)")
    #expect(codes.filter { $0 == .overloaded }.count == 8, "\(codes)")
    #expect(await eventually { inside.fetcher.statistics.lookups == 0 }, "the resolver's own bound ends the threads")
    inside.fetcher.close()
  }

  /// Makes fetcher and origin on a thread that has moved into namespaces of its own; the threads they start stay there.
  private static func enter() async throws -> Inside {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<Inside, AvatarError>, Never>) in
      let began = NamedThread.start("test-namespace") {
        continuation.resume(returning: Result { () throws(AvatarError) in try makeInside() })
      }
      if !began { continuation.resume(returning: .failure(AvatarError(.internalFault, "no thread"))) }
    }
    return try result.get()
  }

  private static func makeInside() throws(AvatarError) -> Inside {
    let newMounts = Int32(0x0002_0000)
    let newNetwork = Int32(0x4000_0000)
    try check(System.unshare(newMounts | newNetwork), "unshare: this test needs root")
    try check(System.mount("none", "/", nil, UInt(MS_REC) | UInt(MS_PRIVATE), nil), "private mounts")
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("avatar-resolv-\(UUID().uuidString)")
    do { try Data("nameserver 127.0.0.1\n".utf8).write(to: file) } catch {
      throw AvatarError(.internalFault, "\(error)")
    }
    defer { try? FileManager.default.removeItem(at: file) }
    try check(System.mount(file.path, "/etc/resolv.conf", nil, UInt(MS_BIND), nil), "our resolv.conf")
    try raiseLoopback()
    do {
      let questions = try QuestionSink()
      let origin = try RawOrigin(steps: [.send(answer())])
      let options = try testOptions { $0.connectTimeout = .seconds(1) }
      let fetcher = try CurlFetcher(options: options, names: IDN2Names(), clock: StoppedClock())
      return Inside(fetcher: fetcher, origin: origin, questions: questions)
    } catch { throw AvatarError(.internalFault, "\(error)") }
  }

  private static func check(_ code: Int32, _ what: String) throws(AvatarError) {
    guard code == 0 else { throw AvatarError(.internalFault, "\(what): errno \(errno)") }
  }

  private static func raiseLoopback() throws(AvatarError) {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(descriptor) }
    var request = [UInt8](repeating: 0, count: 40)  // struct ifreq: a name of 16 bytes, then the flags.
    request.replaceSubrange(0..<2, with: text("lo"))
    request[16] = UInt8(IFF_UP)
    let code = request.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.map { ioctl(descriptor, 0x8914, $0) } ?? -1  // SIOCSIFFLAGS
    }
    try check(code, "loopback up")
  }
}

/// Takes datagrams on port 53 and answers none.
private final class QuestionSink: Sendable {
  private let tally = Tally()
  private let descriptor: Int32
  var count: Int { tally.names.count }

  init() throws(AvatarError) {
    descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(53).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else { throw AvatarError(.internalFault, "port 53: errno \(errno)") }
    let began = NamedThread.start("test-nameserver") { [descriptor, tally] in
      var buffer = [UInt8](repeating: 0, count: 512)
      while recv(descriptor, &buffer, buffer.count, 0) > 0 { _ = tally.add("question") }
    }
    guard began else { throw AvatarError(.internalFault, "no thread") }
  }

  deinit {
    shutdown(descriptor, Int32(SHUT_RDWR))
    close(descriptor)
  }
}

/// System calls that the overlay does not show.
private enum System {
  typealias Unshare = @convention(c) (Int32) -> Int32
  typealias Mount =
    @convention(c) (UnsafePointer<CChar>?, UnsafePointer<CChar>, UnsafePointer<CChar>?, UInt, UnsafeRawPointer?) ->
    Int32

  static func unshare(_ flags: Int32) -> Int32 {
    guard let symbol = dlsym(nil, "unshare") else { return -1 }
    return unsafeBitCast(symbol, to: Unshare.self)(flags)
  }

  static func mount(_ source: String, _ target: String, _ type: String?, _ flags: UInt, _ data: String?) -> Int32 {
    guard let symbol = dlsym(nil, "mount") else { return -1 }
    return unsafeBitCast(symbol, to: Mount.self)(source, target, nil, flags, nil)
  }
}

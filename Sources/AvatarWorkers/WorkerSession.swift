public import AvatarCore
import CLinux
import Glibc

/// The worker's side of the socket: says how the confinement went, then answers one image at a time until the server hangs up.
public struct WorkerSession: ~Copyable {
  /// Turns one source into an avatar.
  public typealias Normalize = ([UInt8], Recipe, ImageLimits) throws(AvatarError) -> (jpeg: [UInt8], facts: ImageFacts)

  /// Pixels from which on an image leaves so much free memory behind that it is given back at once.
  private static let largePixels = 2_000_000
  /// After so many small ones it is given back too.
  private static let trimInterval = 64

  private let channel: Descriptor
  private var answered = 0

  /// Takes over descriptor 3; nil where that is no local socket, that is, where no server started this process.
  public init?() {
    guard linux_is_local_socket(3) != 0 else { return nil }
    channel = Descriptor(owning: 3)
  }

  /// Tells the server that the worker is warm, and how it is confined.
  public func announce(_ report: ConfinementReport) { _ = send(WorkerMessage.ready(report).bytes(sequence: 0)) }

  /// Answers until the server hangs up or talks nonsense; true for the former.
  public mutating func run(_ normalize: Normalize) -> Bool {
    while true {
      guard let head = receive(WorkerMessage.headerBytes) else { return true }
      guard let header = try? WorkerMessageHeader(bytes: head), header.kind == .request,
        let body = receive(header.bodyBytes),
        case .request(let request)? = try? WorkerMessage(header: header, body: body),
        let source = receive(request.sourceBytes)
      else { return false }
      let answer = answer(request, source, normalize)
      guard send(answer.bytes(sequence: header.sequence)) else { return true }
      tidy(after: answer)
    }
  }

  private func answer(_ request: WorkerRequest, _ source: [UInt8], _ normalize: Normalize) -> WorkerMessage {
    // From the kernel's clock of all threads' CPU time: no decoder can run past it, whatever it is busy with.
    _ = linux_cpu_alarm(max(1, request.limits.decodeTimeout.milliseconds) * 1000)
    defer { _ = linux_cpu_alarm(0) }
    do {
      let (jpeg, facts) = try normalize(source, request.recipe, request.limits)
      return .avatar(jpeg: jpeg, facts: facts)
    } catch {
      return .refusal(error)
    }
  }

  private mutating func tidy(after answer: WorkerMessage) {
    answered += 1
    var isLarge = true
    if case .avatar(_, let facts) = answer { isLarge = facts.width * facts.height >= Self.largePixels }
    if isLarge || answered.isMultiple(of: Self.trimInterval) { linux_trim_heap() }
  }

  /// Exactly so many bytes; nil when the server has hung up.
  private func receive(_ count: Int) -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let got = read(channel.number, buffer.baseAddress.map { $0 + filled }, count - filled)
        if got < 0 && errno == EINTR { continue }
        guard got > 0 else { return }
        filled += got
      }
    }
    return bytes.count == count ? bytes : nil
  }

  /// Sends all of it; false when the server has hung up.
  private func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let gone = bytes.withUnsafeBytes { buffer in
        write(channel.number, buffer.baseAddress.map { $0 + sent }, bytes.count - sent)
      }
      if gone < 0 && errno == EINTR { continue }
      guard gone > 0 else { return false }
      sent += gone
    }
    return true
  }
}

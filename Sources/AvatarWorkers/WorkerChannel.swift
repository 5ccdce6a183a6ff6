import AvatarCore
import CLinux
import Glibc

/// The server's end of one worker's socket: sends without blocking what the kernel takes, and puts messages together from what comes.
/// Used by the supervisor's thread only.
final class WorkerChannel {
  /// What a look at the socket gave.
  enum Incoming {
    case message(WorkerMessage, sequence: UInt32)
    case nothing
    case closed
  }

  /// How sending went.
  enum Sending { case done, blocked, closed }

  private static let withoutWaiting = Int32(Int(MSG_DONTWAIT) | Int(MSG_NOSIGNAL))

  private let descriptor: Descriptor
  private var outgoing: (message: [UInt8], source: SourceBytes) = ([], SourceBytes())
  private var sent = 0
  private var header: WorkerMessageHeader?
  private var incoming: [UInt8]
  private var filled = 0

  var number: Int32 { descriptor.number }
  /// Whether a request is not yet wholly sent.
  var isSending: Bool { !outgoing.message.isEmpty }

  init(owning number: Int32) {
    descriptor = Descriptor(owning: number)
    incoming = [UInt8](repeating: 0, count: WorkerMessage.headerBytes)
  }

  /// Makes a message and the source that follows it the bytes to send; nothing may be unsent.
  func begin(_ message: [UInt8], _ source: SourceBytes) {
    precondition(!isSending && !message.isEmpty, "one request at a time")
    outgoing = (message, source)
    sent = 0
  }

  /// Sends as much as fits. Both at once where that is all: the worker wakes up once.
  func send() -> Sending {
    while isSending {
      let count = outgoing.message.withUnsafeBytes { message in
        outgoing.source.withUnsafeBytes { source in
          let (first, second) = (min(sent, message.count), max(0, sent - message.count))
          return linux_send_two(
            descriptor.number, message.baseAddress.map { $0 + first }, message.count - first,
            source.baseAddress.map { $0 + second }, source.count - second)
        }
      }
      if count < 0 {
        if count == -Int(EINTR) { continue }
        return count == -Int(EAGAIN) ? .blocked : .closed
      }
      sent += count
      if sent == outgoing.message.count + outgoing.source.count { outgoing = ([], SourceBytes()) }
    }
    return .done
  }

  /// Reads up to the end of the next message. Throws where the bytes are none; the channel is of no use afterwards.
  func receive() throws(WorkerMessageFault) -> Incoming {
    while true {
      if filled == incoming.count {
        guard let header else {
          let read = try WorkerMessageHeader(bytes: incoming)
          header = read
          incoming = [UInt8](repeating: 0, count: read.bodyBytes)
          filled = 0
          continue
        }
        let message = try WorkerMessage(header: header, body: incoming)
        self.header = nil
        incoming = [UInt8](repeating: 0, count: WorkerMessage.headerBytes)
        filled = 0
        return .message(message, sequence: header.sequence)
      }
      let count = incoming.withUnsafeMutableBytes { bytes in
        recv(descriptor.number, bytes.baseAddress.map { $0 + filled }, bytes.count - filled, Self.withoutWaiting)
      }
      if count < 0 {
        if errno == EINTR { continue }
        return errno == EAGAIN ? .nothing : .closed
      }
      if count == 0 { return .closed }
      filled += count
    }
  }
}

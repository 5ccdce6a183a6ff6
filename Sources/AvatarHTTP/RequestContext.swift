import AvatarCore
import Synchronization

/// One request from its request line to its end; owned by the library's connection, freed in its completion callback.
///
/// `@unchecked Sendable`: only `fields` is read outside the loop's thread, and that is locked.
final class RequestContext: @unchecked Sendable {
  /// How far it is.
  enum Stage {
    /// The head is not here yet.
    case head
    /// The head was taken; the body, if any, is on the way.
    case admitted(HTTPRequest.Method)
    /// The body is read to be thrown away, then this is the answer.
    case discarding(AvatarError)
    /// The connection is suspended, or about to be called again.
    case waiting(PendingReply)
    /// An answer is queued.
    case answered
  }

  private enum Fields {
    case live(MHDConnection)
    case copied([HeaderField])
    case gone
  }

  /// The connection it came on.
  let record: ConnectionRecord
  /// Nil where it is not one that is served.
  let target: RequestTarget?
  /// The target's length as it came.
  let targetBytes: Int
  /// How far it is.
  var stage = Stage.head
  /// Whether it is counted as in flight.
  var isCounted = false
  /// What has come of the body.
  var body: [UInt8] = []
  private let fields = Mutex(Fields.gone)

  init(record: ConnectionRecord, target: RequestTarget?, targetBytes: Int) {
    self.record = record
    self.target = target
    self.targetBytes = targetBytes
  }

  /// The request for the handler. Its fields can be read while `respond` runs and, for an answer that comes later, at
  /// any time; after any other answer they read as absent.
  func request(_ method: HTTPRequest.Method, on connection: MHDConnection) -> HTTPRequest {
    fields.withLock { $0 = .live(connection) }
    return HTTPRequest(
      method: method, path: target?.path ?? "/", query: target?.query, body: body, header: { self.field($0) })
  }

  /// The library's own fields are about to go: copies them where the handler may still ask, else forgets them.
  func detachFields(copying: Bool) {
    fields.withLock { fields in
      if copying, case .live(let connection) = fields {
        fields = .copied(connection.fields())
      } else {
        fields = .gone
      }
    }
  }

  private func field(_ name: StaticString) -> String? {
    fields.withLock { fields in
      switch fields {
      case .live(let connection): connection.field(name)
      case .copied(let copies): Self.joined(copies.filter { $0.name == name.description.asciiLowercased }.map(\.value))
      case .gone: nil
      }
    }
  }

  private static func joined(_ values: [String]) -> String? { values.isEmpty ? nil : values.joined(separator: ", ") }
}

extension String {
  /// The text with A to Z in lower case.
  var asciiLowercased: String { String(decoding: utf8.map(AvatarHTTP.asciiLowercased), as: UTF8.self) }
}

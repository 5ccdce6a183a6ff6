import AvatarCore
import Synchronization

/// One request from its request line to its end; owned by the library's connection, given back in its completion callback and used
/// for the connection's next request.
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

  /// What the request is for.
  enum Aim {
    /// What the handler has answered before.
    case known(KnownTarget)
    /// What was read now.
    case read(RequestTarget)
    /// Nothing that is served.
    case nothing
  }

  private enum Fields {
    case live(MHDConnection)
    case copied([HeaderField])
    case gone
  }

  /// The connection it came on.
  let record: ConnectionRecord
  private var aim: Aim
  /// The target's length as it came.
  private(set) var targetBytes: Int
  /// How far it is.
  var stage = Stage.head
  /// Whether it is counted as in flight.
  var isCounted = false
  /// Whether its conditional fields are to be looked at.
  var isConditional = false
  /// What has come of the body.
  var body: [UInt8] = []
  private let fields = Mutex(Fields.gone)
  private var holdsCopies = false

  init(record: ConnectionRecord, aim: Aim, targetBytes: Int) {
    self.record = record
    self.aim = aim
    self.targetBytes = targetBytes
  }

  /// Makes it the next request's.
  func begin(_ aim: Aim, targetBytes: Int) {
    (self.aim, self.targetBytes) = (aim, targetBytes)
    (stage, isCounted, isConditional) = (.head, false, false)
    body = []
  }

  /// Lets go of what the request held.
  func end() {
    (aim, stage) = (.nothing, .answered)
    body = []
    guard holdsCopies else { return }
    holdsCopies = false
    fields.withLock { $0 = .gone }
  }

  /// What the handler has answered before; nil for a target that was read now.
  var known: KnownTarget? {
    if case .known(let known) = aim { return known }
    return nil
  }

  /// Nil where it is not one that is served.
  var target: RequestTarget? {
    switch aim {
    case .known(let known): RequestTarget(known.target)
    case .read(let target): target
    case .nothing: nil
    }
  }

  /// The request for the handler. Its fields can be read while `respond` runs and, for an answer that comes later, at
  /// any time; after any other answer they read as absent.
  func request(_ method: HTTPRequest.Method, on connection: MHDConnection) -> HTTPRequest {
    fields.withLock { $0 = .live(connection) }
    let target = target
    return HTTPRequest(
      method: method, path: target?.path ?? "/", query: target?.query, body: body, known: known,
      header: { self.field($0) })
  }

  /// The library's own fields are about to go: copies them where the handler may still ask, else forgets them.
  func detachFields(copying: Bool) {
    holdsCopies = copying
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

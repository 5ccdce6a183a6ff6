import AvatarCore
import Synchronization

/// One request from its request line to its end; owned by the library's connection, given back in its completion callback and used
/// for the connection's next request.
///
/// Never outside the loop's thread.
final class RequestContext {
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
  private var fields = RequestFields()

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
    // A handler that answered later may hold the fields still: the next request has its own.
    if !isKnownUniquelyReferenced(&fields) { fields = RequestFields() }
  }

  /// What the handler has answered before; nil for a target that was read now.
  var known: KnownTarget? {
    if case .known(let known) = aim { return known }
    return nil
  }

  /// Nil where it is not one that is served.
  var target: RequestTarget? {
    switch aim {
    case .known(let known): known.withUnsafeBytes { RequestTarget($0) }
    case .read(let target): target
    case .nothing: nil
    }
  }

  /// The request for the handler. Its fields can be read while `respond` runs and, for an answer that comes later, at
  /// any time; after any other answer they read as absent.
  func request(_ method: HTTPRequest.Method, on connection: MHDConnection) -> HTTPRequest {
    fields.lend(connection)
    let header: @Sendable (StaticString) -> String? = { [fields] in fields.value($0) }
    if let known { return HTTPRequest(method: method, known: known, body: body, header: header) }
    return HTTPRequest(
      method: method, path: target?.path ?? "/", query: target?.query, body: body, header: header)
  }

  /// The library's own fields are about to go: copies them where the handler may still ask, else forgets them.
  func detachFields(copying: Bool) { fields.detach(copying: copying && !isKnownUniquelyReferenced(&fields)) }
}

/// A request's fields, which its handler may read from any thread.
final class RequestFields: Sendable {
  private enum State {
    case lent(MHDConnection)
    case copied([HeaderField])
    case gone
  }
  private let state = Mutex(State.gone)

  /// They are the connection's, until `detach`.
  func lend(_ connection: MHDConnection) { state.withLock { $0 = .lent(connection) } }

  /// The connection's own are about to go.
  func detach(copying: Bool) {
    state.withLock { state in
      guard copying, case .lent(let connection) = state else { return state = .gone }
      state = .copied(connection.fields())
    }
  }

  /// The value of a field, repeated ones joined; nil if absent or gone.
  func value(_ name: StaticString) -> String? {
    state.withLock { state in
      switch state {
      case .lent(let connection): return connection.field(name)
      case .copied(let copies):
        let values = copies.filter { $0.name == name.description.asciiLowercased }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
      case .gone: return nil
      }
    }
  }
}

extension String {
  /// The text with A to Z in lower case.
  var asciiLowercased: String { String(decoding: utf8.map(AvatarHTTP.asciiLowercased), as: UTF8.self) }
}

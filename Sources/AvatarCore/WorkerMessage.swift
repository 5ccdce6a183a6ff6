/// What the server and a worker say to each other over their socket: a header of sixteen bytes, then a body whose
/// length the header gives and the kind bounds. Both programs come from one build; the version catches a mixed installation.
///
/// Header, little-endian: `A` `v` `W` version · kind (1 byte) and three zero bytes · body length (4) · sequence (4).
public enum WorkerMessage: Hashable, Sendable {
  /// Server to worker: normalize the bytes that follow. The source itself comes after the body and is not part of it.
  case request(WorkerRequest)
  /// Worker to server: a finished avatar.
  case avatar(jpeg: [UInt8], facts: ImageFacts)
  /// Worker to server: this source gives no avatar.
  case refusal(AvatarError)
  /// Worker to server, once and first: how the confinement went.
  case ready(ConfinementReport)

  /// Raised with every change of the format.
  public static let version: UInt8 = 1
  /// Bytes of a header.
  public static let headerBytes = 16
  /// The largest finished avatar that is taken from a worker.
  public static let maximumAvatarBytes = 1 << 20
  /// The largest source that a worker takes; the configuration's own bound on fetches is far lower.
  public static let maximumSourceBytes = 256 << 20
  /// The longest detail of a refusal; longer ones are cut.
  public static let maximumDetailBytes = 256
}

/// What the server asks of a worker, but for the source's bytes.
public struct WorkerRequest: Hashable, Sendable {
  /// How the avatar is to be.
  public var recipe: Recipe
  /// What the picture may cost.
  public var limits: ImageLimits
  /// Bytes of the source that follow, 0…`WorkerMessage.maximumSourceBytes`.
  public var sourceBytes: Int

  /// Makes a request.
  public init(recipe: Recipe, limits: ImageLimits, sourceBytes: Int) {
    self.recipe = recipe
    self.limits = limits
    self.sourceBytes = sourceBytes
  }
}

/// A header as it was read and found acceptable: what kind of body follows, how long it is and whose answer it is.
public struct WorkerMessageHeader: Hashable, Sendable {
  /// The kinds on the wire.
  public enum Kind: UInt8, Sendable {
    case request = 1
    case avatar = 2
    case refusal = 3
    case ready = 4

    /// The longest body of this kind; nobody allocates for more because a header says so.
    public var maximumBodyBytes: Int {
      switch self {
      case .request: WorkerMessage.requestBytes
      case .avatar: WorkerMessage.factsBytes + WorkerMessage.maximumAvatarBytes
      case .refusal: 1 + WorkerMessage.maximumDetailBytes
      case .ready: 5 * ConfinementMeasure.allCases.count
      }
    }
  }

  /// The kind of body.
  public var kind: Kind
  /// Bytes of body, within the kind's bound.
  public var bodyBytes: Int
  /// The request's number, repeated by its answer; 0 for `ready`.
  public var sequence: UInt32

  /// Makes a header.
  public init(kind: Kind, bodyBytes: Int, sequence: UInt32) {
    self.kind = kind
    self.bodyBytes = bodyBytes
    self.sequence = sequence
  }
}

/// Why bytes from the other side of the socket were not taken. From a worker it means that the worker is not to be trusted any more.
public struct WorkerMessageFault: Error, Hashable, Sendable {
  /// For the log.
  public let reason: String
  /// Makes a fault.
  public init(_ reason: String) { self.reason = reason }
}

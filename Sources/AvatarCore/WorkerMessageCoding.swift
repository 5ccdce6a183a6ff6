extension WorkerMessageHeader {
  /// Sixteen bytes as they go out.
  public var bytes: [UInt8] {
    var writer = WorkerMessageWriter()
    writer.bytes += [0x41, 0x76, 0x57, WorkerMessage.version, kind.rawValue, 0, 0, 0]
    writer.write(UInt32(bodyBytes))
    writer.write(sequence)
    return writer.bytes
  }

  /// Reads exactly sixteen bytes; throws on anything but a header of our version with a known kind and a bounded length.
  public init(bytes: some Collection<UInt8>) throws(WorkerMessageFault) {
    var reader = WorkerMessageReader(bytes)
    guard bytes.count == WorkerMessage.headerBytes else { throw WorkerMessageFault("a header of \(bytes.count) bytes") }
    guard try reader.byte() == 0x41, try reader.byte() == 0x76, try reader.byte() == 0x57 else {
      throw WorkerMessageFault("not a header")
    }
    let version = try reader.byte()
    guard version == WorkerMessage.version else {
      throw WorkerMessageFault("version \(version) of the worker protocol")
    }
    let number = try reader.byte()
    guard let kind = Kind(rawValue: number) else { throw WorkerMessageFault("unknown kind \(number)") }
    guard try reader.byte() == 0, try reader.byte() == 0, try reader.byte() == 0 else {
      throw WorkerMessageFault("reserved bytes in use")
    }
    let length = Int(try reader.word())
    guard length <= kind.maximumBodyBytes else { throw WorkerMessageFault("a body of \(length) bytes") }
    self.init(kind: kind, bodyBytes: length, sequence: try reader.word())
  }
}

extension WorkerMessage {
  /// Bytes of a request's body.
  static let requestBytes = 9 * 8 + 1
  /// Bytes of the facts in front of a JPEG.
  static let factsBytes = 1 + 4 + 4 + 1 + 1 + 4 + 1
  /// Formats in the order of their number on the wire.
  private static let formats = ["jpeg", "png", "gif", "webp", "avif", "heic", "svg"]
  /// What a worker may refuse with, in the order of its number on the wire. It never gets to claim anything else.
  private static let refusals: [AvatarError.Code] = [
    .imageUnsupported, .imageCorrupt, .imageTooManyPixels, .sourceTooLarge, .sourceEmpty, .internalFault,
  ]

  /// Header and body as they go out.
  public func bytes(sequence: UInt32) -> [UInt8] {
    let kind: WorkerMessageHeader.Kind
    var writer = WorkerMessageWriter()
    switch self {
    case .request(let request):
      kind = .request
      writer.write(request)
    case .avatar(let jpeg, let facts):
      kind = .avatar
      writer.write(facts, formatNumber: UInt8(Self.formats.firstIndex(of: facts.format) ?? 0xFF))
      writer.bytes += jpeg
    case .refusal(let error):
      kind = .refusal
      let refusal = Self.refusals.firstIndex(of: error.code) ?? Self.refusals.count - 1
      writer.bytes.append(UInt8(refusal))
      writer.bytes += error.detail.utf8.prefix(Self.maximumDetailBytes)
    case .ready(let report):
      kind = .ready
      for measure in ConfinementMeasure.allCases {
        guard let outcome = report.outcomes[measure] else { continue }
        writer.bytes.append(measure.rawValue)
        writer.write(UInt32(bitPattern: outcome))
      }
    }
    return WorkerMessageHeader(kind: kind, bodyBytes: writer.bytes.count, sequence: sequence).bytes + writer.bytes
  }

  /// Reads the body that belongs to `header`. Every field is checked; text becomes printable ASCII.
  public init(header: WorkerMessageHeader, body: [UInt8]) throws(WorkerMessageFault) {
    guard body.count == header.bodyBytes else { throw WorkerMessageFault("a cut body") }
    var reader = WorkerMessageReader(body)
    switch header.kind {
    case .request: self = .request(try reader.request())
    case .avatar:
      let number = try reader.byte()
      guard Self.formats.indices.contains(Int(number)) else { throw WorkerMessageFault("unknown format \(number)") }
      let facts = try reader.facts(format: Self.formats[Int(number)])
      self = .avatar(jpeg: Array(body[Self.factsBytes...]), facts: facts)
    case .refusal:
      let number = try reader.byte()
      guard Self.refusals.indices.contains(Int(number)) else { throw WorkerMessageFault("unknown refusal \(number)") }
      self = .refusal(AvatarError(Self.refusals[Int(number)], Self.printable(body.dropFirst())))
    case .ready: self = .ready(try reader.report())
    }
  }

  /// Text of an untrusted process for the log: what is not printable ASCII becomes `?`.
  public static func printable(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: bytes.map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
  }
}

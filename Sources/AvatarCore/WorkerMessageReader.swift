/// Takes the protocol's fields out of bytes that nobody vouches for; every read is bounded, every value is checked.
struct WorkerMessageReader<Bytes: Collection<UInt8>> {
  private let bytes: Bytes
  private var position: Bytes.Index

  init(_ bytes: Bytes) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  mutating func byte() throws(WorkerMessageFault) -> UInt8 {
    guard position != bytes.endIndex else { throw WorkerMessageFault("a field is cut") }
    defer { position = bytes.index(after: position) }
    return bytes[position]
  }

  mutating func word() throws(WorkerMessageFault) -> UInt32 {
    var word: UInt32 = 0
    for shift in stride(from: UInt32(0), to: 32, by: 8) { word |= UInt32(try byte()) << shift }
    return word
  }

  mutating func number(in range: ClosedRange<Int>, _ name: StaticString) throws(WorkerMessageFault) -> Int {
    let low = try word()
    let high = try word()
    let number = Int(Int64(bitPattern: UInt64(high) << 32 | UInt64(low)))
    guard range.contains(number) else { throw WorkerMessageFault("\(name) of \(number)") }
    return number
  }

  mutating func request() throws(WorkerMessageFault) -> WorkerRequest {
    var recipe = Recipe()
    recipe.size = try number(in: 1...4096, "size")
    recipe.quality = try number(in: 1...100, "quality")
    recipe.minimumQuality = try number(in: 1...100, "minimum quality")
    recipe.targetBytes = try number(in: 0...Int(Int32.max), "target bytes")
    recipe.background = UInt32(try number(in: 0...0xFF_FFFF, "background"))
    var limits = ImageLimits()
    limits.maxPixels = try number(in: 0...Int.max, "pixels")
    limits.maxPixelsWhole = try number(in: 0...Int.max, "pixels decoded whole")
    limits.decodeTimeout = .milliseconds(try number(in: 1...86_400_000, "decode timeout"))
    let sourceBytes = try number(in: 0...WorkerMessage.maximumSourceBytes, "source bytes")
    let fit = try byte()
    guard fit <= 1 else { throw WorkerMessageFault("fit of \(fit)") }
    recipe.fit = fit == 1 ? .contain : .cover
    return WorkerRequest(recipe: recipe, limits: limits, sourceBytes: sourceBytes)
  }

  mutating func facts(format: String) throws(WorkerMessageFault) -> ImageFacts {
    let width = try word()
    let height = try word()
    let orientation = try byte()
    let flags = try byte()
    let frames = try word()
    let quality = try byte()
    guard (1...8).contains(orientation), flags <= 3, quality <= 100 else {
      throw WorkerMessageFault("facts that cannot be")
    }
    return ImageFacts(
      format: format, width: Int(width), height: Int(height), orientation: Int(orientation),
      usedProfile: flags & 1 != 0, hasAlpha: flags & 2 != 0, frames: Int(frames), quality: Int(quality))
  }

  mutating func report() throws(WorkerMessageFault) -> ConfinementReport {
    var report = ConfinementReport()
    while position != bytes.endIndex {
      let number = try byte()
      guard let measure = ConfinementMeasure(rawValue: number) else {
        throw WorkerMessageFault("unknown measure \(number)")
      }
      report.note(measure, Int32(bitPattern: try word()))
    }
    return report
  }
}

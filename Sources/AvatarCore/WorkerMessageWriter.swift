/// Puts the protocol's fields into bytes, numbers little-endian.
struct WorkerMessageWriter {
  var bytes: [UInt8] = []

  mutating func write(_ word: UInt32) { withUnsafeBytes(of: word.littleEndian) { bytes += $0 } }
  mutating func write(_ number: Int) { withUnsafeBytes(of: Int64(number).littleEndian) { bytes += $0 } }

  mutating func write(_ request: WorkerRequest) {
    write(request.recipe.size)
    write(request.recipe.quality)
    write(request.recipe.minimumQuality)
    write(request.recipe.targetBytes)
    write(Int(request.recipe.background))
    write(request.limits.maxPixels)
    write(request.limits.maxPixelsWhole)
    write(Int(request.limits.decodeTimeout.milliseconds))
    write(request.sourceBytes)
    bytes.append(request.recipe.fit == .contain ? 1 : 0)
  }

  mutating func write(_ facts: ImageFacts, formatNumber: UInt8) {
    bytes.append(formatNumber)
    write(UInt32(clamping: facts.width))
    write(UInt32(clamping: facts.height))
    bytes.append(UInt8(clamping: facts.orientation))
    bytes.append((facts.usedProfile ? 1 : 0) | (facts.hasAlpha ? 2 : 0))
    write(UInt32(clamping: facts.frames))
    bytes.append(UInt8(clamping: facts.quality))
  }
}

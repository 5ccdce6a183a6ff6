/// Dot segments of a path (RFC 3986 section 5.2.4).
enum DotSegments {
  /// The path with `.` and `..` segments resolved; never climbs above the root. Only literal dots count, as in the RFC.
  static func removed(from path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard path.first == UInt8(ascii: "/") else { return path }
    let dot = UInt8(ascii: ".")
    var kept: [ArraySlice<UInt8>] = []
    var endsInDirectory = false
    for segment in path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      let isDot = segment.elementsEqual([dot])
      let isDoubleDot = segment.elementsEqual([dot, dot])
      endsInDirectory = isDot || isDoubleDot
      if isDoubleDot { _ = kept.popLast() }
      if !endsInDirectory { kept.append(segment) }
    }
    if endsInDirectory { kept.append([]) }
    var output: [UInt8] = []
    output.reserveCapacity(path.count)
    for segment in kept {
      output.append(UInt8(ascii: "/"))
      output.append(contentsOf: segment)
    }
    return output[...]
  }
}

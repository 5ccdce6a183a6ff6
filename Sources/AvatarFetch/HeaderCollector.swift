import AvatarCore

/// Reads an answer's header line by line, as libcurl hands the lines over, within bounds. Pure.
///
/// Interim answers (1xx) are passed over, trailers are counted and ignored, folded lines are joined (RFC 9112 section 5.2). A line that
/// cannot be told for what it is ends the exchange with `origin_protocol`.
struct HeaderCollector {
  private enum Phase { case status, fields, done }

  /// More 1xx answers before the final one are a fault.
  static let mostInterimAnswers = 32

  private let maxBytes: Int
  private let maxFields: Int
  private var phase = Phase.status
  private var bytes = 0
  private var interimAnswers = 0
  private var foldable = false
  /// The answer so far; the last status line's.
  private(set) var head = AnswerHead(status: 0, isHTTP1: true)

  /// With the bounds of one hop.
  init(maxBytes: Int, maxFields: Int) {
    self.maxBytes = maxBytes
    self.maxFields = maxFields
  }

  /// Whether the final answer's header is whole.
  var isComplete: Bool { phase == .done }

  /// Takes a line with its line end; gives true when it ends the final answer's header.
  mutating func take(_ raw: some BidirectionalCollection<UInt8>) throws(AvatarError) -> Bool {
    bytes += raw.count
    guard bytes <= maxBytes else { throw AvatarError(.originProtocol, "more than \(maxBytes) bytes of header") }
    var line = raw[...]
    if line.last == 0x0A { line.removeLast() }
    if line.last == 0x0D { line.removeLast() }
    guard !line.contains(0) else { throw AvatarError(.originProtocol, "NUL in a header line") }
    switch phase {
    case .status:
      try begin(line)
      return false
    case .fields where line.isEmpty:
      return try end()
    case .fields:
      try add(line)
      return false
    case .done:
      return false
    }
  }

  private mutating func begin(_ line: some BidirectionalCollection<UInt8>) throws(AvatarError) {
    let words = String(decoding: line, as: UTF8.self).split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0].hasPrefix("HTTP/"), words[1].utf8.count == 3, let status = Int(words[1]),
      (100...599).contains(status)
    else { throw AvatarError(.originProtocol, "malformed status line") }
    head = AnswerHead(status: status, isHTTP1: words[0].hasPrefix("HTTP/1"))
    foldable = false
    phase = .fields
  }

  private mutating func end() throws(AvatarError) -> Bool {
    guard head.status < 200 else {
      phase = .done
      return true
    }
    guard head.status != 101 else { throw AvatarError(.originProtocol, "switches protocols unasked") }
    interimAnswers += 1
    guard interimAnswers <= Self.mostInterimAnswers else {
      throw AvatarError(.originProtocol, "more than \(Self.mostInterimAnswers) interim answers")
    }
    phase = .status
    return false
  }

  private mutating func add<Line: BidirectionalCollection<UInt8>>(_ line: Line) throws(AvatarError) {
    if line.first == 0x20 || line.first == 0x09 { return fold(Self.trimmed(line)) }
    guard let colon = line.firstIndex(of: 0x3A) else {
      throw AvatarError(.originProtocol, "header line without a colon")
    }
    let name = line[..<colon]
    // A name with a blank in it is nobody's field; libcurl does not act on it either.
    foldable = !name.isEmpty && name.allSatisfy(RequestFields.isTokenByte)
    guard foldable else { return }
    guard head.fields.count < maxFields else {
      throw AvatarError(.originProtocol, "more than \(maxFields) header fields")
    }
    let value = Self.trimmed(line[line.index(after: colon)...])
    head.fields.append(HeaderField(String(decoding: name, as: UTF8.self).lowercased(), Self.text(value)))
    if head.fields.last?.name == "location" { head.locations.append(Array(value)) }
  }

  private mutating func fold(_ value: some Collection<UInt8>) {
    guard foldable, !head.fields.isEmpty, !value.isEmpty else { return }
    let last = head.fields.count - 1
    head.fields[last].value += " " + Self.text(value)
    if head.fields[last].name == "location", !head.locations.isEmpty {
      head.locations[head.locations.count - 1] += [0x20] + value
    }
  }

  private static func trimmed<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> Bytes.SubSequence {
    var rest = bytes.drop { $0 == 0x20 || $0 == 0x09 }
    while rest.last == 0x20 || rest.last == 0x09 { rest.removeLast() }
    return rest
  }

  /// UTF-8 where it is UTF-8, else each byte the character of that number; control characters become blanks.
  private static func text(_ bytes: some Collection<UInt8>) -> String {
    let clean = bytes.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }
    return String(validating: clean, as: UTF8.self)
      ?? String(String.UnicodeScalarView(clean.map { Unicode.Scalar($0) }))
  }
}

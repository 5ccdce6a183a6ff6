/// Where things are in a JSON5 text: the decoder of FoundationEssentials tells neither lines nor repeated names, and
/// people who edit a file need both. It only looks for strings, comments, brackets, colons and commas; what is valid
/// and what it means is the decoder's to say.
struct JSON5Outline {
  /// The line, from 1, of each member outside of lists, by its dotted path.
  private(set) var lines: [String: Int] = [:]
  /// Members that are there twice in one object, by path, with the later one's line.
  private(set) var duplicates: [(path: String, line: Int)] = []
  /// Behind each comma, and after each opening bracket: the prefix up to there is valid once it is closed.
  private var cuts: [Cut] = []
  private let text: [UInt8]

  private struct Cut {
    var offset: Int
    var line: Int
    /// What closes the prefix.
    var closers: [UInt8]
  }

  /// One open bracket.
  private struct Level {
    var closer: UInt8
    /// The dotted path of an object's members ends in a dot; nil inside a list.
    var prefix: String?
    /// The last string or bare word and its line: a name if a colon follows.
    var word: (text: String, line: Int)?
    /// The member whose value is being read.
    var member: String?
  }

  /// Looks through a whole text; never fails, for a broken text must have an outline as well.
  init(of text: [UInt8]) {
    self.text = text
    var levels: [Level] = []
    var line = 1
    var offset = 0
    while offset < text.count {
      let byte = text[offset]
      let start = offset
      switch byte {
      case UInt8(ascii: "\n"):
        line += 1
        offset += 1
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        offset = endOfString(from: offset)
        if let last = levels.indices.last {
          let inner = text[min(start + 1, offset)..<max(start + 1, offset - 1)]
          levels[last].word = (String(decoding: inner, as: UTF8.self), line)
        }
        line += text[start..<offset].count { $0 == UInt8(ascii: "\n") }
      case UInt8(ascii: "/"):
        offset = endOfComment(from: offset)
        line += text[start..<offset].count { $0 == UInt8(ascii: "\n") }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard levels.count < 64 else { return }
        let outer = levels.last
        let isObject = byte == UInt8(ascii: "{")
        let path = levels.isEmpty ? "" : outer?.member.map { $0 + "." }
        levels.append(Level(closer: isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"), prefix: isObject ? path : nil))
        offset += 1
        cut(at: offset, line: line, levels)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if !levels.isEmpty { levels.removeLast() }
        offset += 1
      case UInt8(ascii: ","):
        cut(at: offset, line: line, levels)
        if let last = levels.indices.last { levels[last].word = nil }
        offset += 1
      case UInt8(ascii: ":"):
        if let last = levels.indices.last { note(&levels[last]) }
        offset += 1
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
        offset += 1
      default:
        offset = endOfWord(from: offset)
        if let last = levels.indices.last {
          levels[last].word = (String(decoding: text[start..<offset], as: UTF8.self), line)
        }
      }
    }
  }

  /// The line on which the text stops to make sense: that of the last place up to which it is valid, found by asking
  /// `isValid` of prefixes that were cut there and closed.
  func faultyLine(isValid: (String) -> Bool) -> Int? {
    var low = 0
    var high = cuts.count
    while low < high {
      let middle = (low + high) / 2
      let prefix = Array(text[..<cuts[middle].offset]) + cuts[middle].closers
      if isValid(String(decoding: prefix, as: UTF8.self)) { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return text.contains { $0 > 0x20 } ? 1 : nil }
    // What comes next behind the last good place is at fault.
    var offset = cuts[low - 1].offset
    var line = cuts[low - 1].line
    while offset < text.count {
      let start = offset
      if text[offset] == UInt8(ascii: "/") {
        offset = endOfComment(from: offset)
        if offset == text.count { return line }  // A comment that never ends is at fault itself.
      } else if text[offset] <= 0x20 || text[offset] == UInt8(ascii: ",") {
        offset += 1
      } else {
        break
      }
      line += text[start..<offset].count { $0 == UInt8(ascii: "\n") }
    }
    return line
  }

  private mutating func note(_ level: inout Level) {
    guard let prefix = level.prefix, let word = level.word else {
      level.member = nil
      return
    }
    let path = prefix + word.text
    if lines[path] == nil { lines[path] = word.line } else { duplicates.append((path, word.line)) }
    level.member = path
    level.word = nil
  }

  private mutating func cut(at offset: Int, line: Int, _ levels: [Level]) {
    cuts.append(Cut(offset: offset, line: line, closers: levels.reversed().map(\.closer)))
  }

  private func endOfString(from start: Int) -> Int {
    var offset = start + 1
    while offset < text.count, text[offset] != text[start] {
      offset += text[offset] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(offset + 1, text.count)
  }

  private func endOfComment(from start: Int) -> Int {
    guard start + 1 < text.count else { return text.count }
    if text[start + 1] == UInt8(ascii: "/") {
      return text[start...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
    }
    guard text[start + 1] == UInt8(ascii: "*") else { return start + 1 }
    var offset = start + 2
    while offset + 1 < text.count {
      if text[offset] == UInt8(ascii: "*"), text[offset + 1] == UInt8(ascii: "/") { return offset + 2 }
      offset += 1
    }
    return text.count
  }

  private func endOfWord(from start: Int) -> Int {
    let marks = Set("\"'/{}[],: \t\r\n".utf8)
    return text[(start + 1)...].firstIndex { marks.contains($0) } ?? text.count
  }
}

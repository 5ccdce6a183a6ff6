public import AvatarCore
import FoundationEssentials

/// JSON5 as the configuration's trees. FoundationEssentials reads it; `JSON5Outline` says where in the text things are.
public enum JSON5Text {
  /// The text is not JSON5: from which line on it makes no sense, as far as that can be told.
  public struct Invalid: Error, Sendable {
    /// From 1; nil where nothing of the text makes sense.
    public let line: Int?
  }

  /// Reads a whole text; nil where it is not JSON5.
  public static func parse(_ text: String) -> ConfigurationValue? {
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    return try? decoder.decode(Node.self, from: Data(text.utf8)).value
  }

  /// Reads a configuration file's text, with the line of each member and the members that are there twice.
  public static func parseFile(
    _ text: String
  ) throws(Invalid) -> (root: ConfigurationValue, lines: [String: Int], duplicates: [(path: String, line: Int)]) {
    let text = text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
    let outline = JSON5Outline(of: Array(text.utf8))
    guard let root = parse(text) else { throw Invalid(line: outline.faultyLine { parse($0) != nil }) }
    return (root, outline.lines, outline.duplicates)
  }
}

/// Any JSON value, by trial: the decoder gives no kinds.
private struct Node: Decodable {
  let value: ConfigurationValue

  init(from decoder: any Decoder) throws {
    if let members = try? decoder.container(keyedBy: Name.self) {
      var object: [String: ConfigurationValue] = [:]
      for name in members.allKeys { object[name.stringValue] = try members.decode(Node.self, forKey: name).value }
      value = .object(object)
    } else if var items = try? decoder.unkeyedContainer() {
      var list: [ConfigurationValue] = []
      while !items.isAtEnd { list.append(try items.decode(Node.self).value) }
      value = .list(list)
    } else {
      let single = try decoder.singleValueContainer()
      if single.decodeNil() {
        value = .null
      } else if let flag = try? single.decode(Bool.self) {
        value = .flag(flag)
      } else if let integer = try? single.decode(Int64.self) {
        value = .integer(integer)
      } else if let number = try? single.decode(Double.self) {
        value = .number(number)
      } else {
        value = .text(try single.decode(String.self))
      }
    }
  }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

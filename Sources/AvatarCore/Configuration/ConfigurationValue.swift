/// A configuration value as it was written, before any key has said what it must be: a JSON5 tree, or a text.
///
/// The core reads no files and knows no JSON: the program's adapter makes these trees, the keys decode them.
public enum ConfigurationValue: Hashable, Sendable {
  /// `null`: as if the key were not there.
  case null
  /// `true` or `false`.
  case flag(Bool)
  /// A whole number.
  case integer(Int64)
  /// Any other number.
  case number(Double)
  /// A text.
  case text(String)
  /// A list.
  case list([ConfigurationValue])
  /// An object; names are unique.
  case object([String: ConfigurationValue])
}

extension ConfigurationValue: CustomStringConvertible {
  /// The value as JSON5 on one line, names sorted. Control characters are escaped, so that it cannot forge a line.
  public var description: String {
    switch self {
    case .null: "null"
    case .flag(let flag): flag ? "true" : "false"
    case .integer(let integer): String(integer)
    case .number(let number): String(number)
    case .text(let text): Self.quoted(text)
    case .list(let list): "[" + list.map(\.description).joined(separator: ", ") + "]"
    case .object(let object):
      object.isEmpty
        ? "{}"
        : "{ "
          + object.sorted { $0.key < $1.key }.map { "\(Self.name($0.key)): \($0.value)" }.joined(separator: ", ")
          + " }"
    }
  }

  /// The description, cut where it is longer than `limit` characters: for fault lines.
  public func shortened(to limit: Int = 120) -> String {
    let text = description
    return text.count <= limit ? text : text.prefix(limit) + "…"
  }

  /// An object's name as JSON5 writes it: bare where it may be.
  static func name(_ name: String) -> String {
    let isBare = name.utf8.enumerated().allSatisfy { index, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"): index > 0
      default: false
      }
    }
    return isBare && !name.isEmpty ? name : quoted(name)
  }

  /// A text in double quotes with everything escaped that could end it or steer a terminal.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case _
      where scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
        || scalar == "\u{2028}" || scalar == "\u{2029}":
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

extension ConfigurationValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// A text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// A whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A flag.
  public init(booleanLiteral value: Bool) { self = .flag(value) }
  /// A list.
  public init(arrayLiteral elements: ConfigurationValue...) { self = .list(elements) }
  /// An object; of a repeated name the first counts.
  public init(dictionaryLiteral elements: (String, ConfigurationValue)...) {
    self = .object(Dictionary(elements, uniquingKeysWith: { first, _ in first }))
  }
}

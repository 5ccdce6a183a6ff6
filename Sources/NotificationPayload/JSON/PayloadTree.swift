/// A value of the payload, or of a JSON text that stands as a string in the payload.
struct PayloadNode: Hashable, Sendable {
  var document: Int
  var node: Int
}

/// The payload's fields by path, seen through JSON texts that stand where an object belongs. Those are opened one level: a string
/// in an opened text stays a string.
struct PayloadTree: Sendable {
  struct Document: Sendable {
    let text: JSONText
    /// For an opened text: where in the payload each of its bytes came from, and its end. Empty for the payload.
    let origins: [Int]
  }

  private(set) var documents: [Document]
  /// By the string's node; nil where it is no JSON object.
  private var opened: [Int: PayloadNode?] = [:]

  init(_ text: JSONText) { documents = [Document(text: text, origins: [])] }

  var text: JSONText { documents[0].text }
  /// The payload's top value.
  static let top = PayloadNode(document: 0, node: 0)

  func text(holding value: PayloadNode) -> JSONText { documents[value.document].text }
  func kind(_ value: PayloadNode) -> JSONText.Kind { text(holding: value).kind(value.node) }
  func raw(_ value: PayloadNode) -> ArraySlice<UInt8> { text(holding: value).raw(value.node) }

  /// The object that a value is or, as a string, holds; nil for everything else.
  mutating func object(_ value: PayloadNode) -> PayloadNode? {
    switch kind(value) {
    case .object: return value
    case .string where value.document == 0: return openedObject(value)
    default: return nil
    }
  }

  /// The value at a path from an object; nil where a step is missing or no object.
  mutating func value(_ path: FieldPath, in start: PayloadNode) -> PayloadNode? {
    var value = start
    for name in path.names {
      guard let holder = object(value), let node = text(holding: holder).member(name, of: holder.node) else {
        return nil
      }
      value = PayloadNode(document: holder.document, node: node)
    }
    return value
  }

  /// The object at a path.
  mutating func object(_ path: FieldPath, in start: PayloadNode) -> PayloadNode? {
    guard let value = value(path, in: start) else { return nil }
    return object(value)
  }

  /// The first of the paths that leads to a text.
  mutating func text(_ paths: [FieldPath], in start: PayloadNode) -> String? {
    for path in paths {
      if let value = value(path, in: start), let text = text(of: value) { return text }
    }
    return nil
  }

  /// A value as text: a string that isn't blank, without blanks around it, or a whole number. Nil for everything else.
  func text(of value: PayloadNode) -> String? {
    switch kind(value) {
    case .string: text(holding: value).string(value.node).flatMap(PayloadText.trimmed)
    case .number: PayloadText.wholeNumber(raw(value))
    default: nil
    }
  }

  private mutating func openedObject(_ value: PayloadNode) -> PayloadNode? {
    if let known = opened[value.node] { return known }
    var object: PayloadNode?
    if let string = text.decoded(value.node), let inner = Self.objectText(string) {
      object = PayloadNode(document: documents.count, node: 0)
      documents.append(Document(text: inner, origins: string.origins))
    }
    opened[value.node] = .some(object)
    return object
  }

  private static func objectText(_ string: JSONString) -> JSONText? {
    guard string.bytes.first(where: { !JSONTextParser.isBlank($0) }) == UInt8(ascii: "{") else { return nil }
    return JSONText(string.bytes)
  }
}

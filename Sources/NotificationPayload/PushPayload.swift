/// A push payload, read once: what it says, how large it is, and the same with other avatar URLs.
public struct PushPayload: Sendable {
  /// What becomes of a picture's URL.
  public enum PictureChange: Hashable, Sendable {
    /// It stays.
    case keep
    /// This URL takes its place.
    case replace(String)
    /// The field is taken out.
    case remove
  }

  /// Most bytes of a payload.
  public static let maximumBytes = 1 << 20

  /// The payload's text as it came.
  public var json: [UInt8] { reading.tree.text.bytes }
  /// What the payload says.
  public var decision: PayloadDecision { reading.decision }
  /// How large it is.
  public let sizes: PayloadSizes
  let reading: PayloadReading

  /// Reads a payload's text, in any of the forms. Nil if it is not one JSON value (RFC 8259) in UTF-8, or over `maximumBytes`.
  public init?(json: [UInt8], rules: PayloadRules = PayloadRules()) {
    guard json.count <= Self.maximumBytes, let text = JSONText(json) else { return nil }
    self.init(text, rules: rules, shown: nil)
  }

  init(_ text: JSONText, rules: PayloadRules, shown: PayloadForm.Alert?) {
    reading = PayloadReading(text, rules: rules, shown: shown)
    sizes = PayloadSizes(reading.tree, form: reading.form, place: reading.place)
  }

  /// Whose pictures the payload names, and by which URLs; those of two roles may be equal. Each can be rewritten.
  public var pictures: [AvatarCandidate] {
    var seen: [AvatarCandidate] = []
    for field in reading.pictures {
      let picture = AvatarCandidate(role: field.role, url: field.url)
      if !seen.contains(picture) { seen.append(picture) }
    }
    return seen
  }

  /// The payload with other avatar URLs and its form's mutable-content flag set, so that a service extension sees the push. Every
  /// other byte stays, and a payload that is no chat comes back as it came.
  public func rewritten(_ change: (AvatarCandidate) -> PictureChange) -> [UInt8] {
    guard decision.kind != .other else { return json }
    var tree = reading.tree
    let flag = reading.form.mutableContent(&tree)
    var splice = PayloadSplice(tree)
    for field in reading.pictures {
      switch change(AvatarCandidate(role: field.role, url: field.url)) {
      case .keep: break
      case .replace(let url): splice.replace(field.value, with: Self.quoted(url))
      case .remove: splice.remove(field.value)
      }
    }
    if let flag {
      let value = Array(flag.value.utf8)
      let text = tree.text(holding: flag.holder)
      if let node = text.member(flag.name, of: flag.holder.node) {
        if !text.raw(node).elementsEqual(value) {
          splice.replace(PayloadNode(document: flag.holder.document, node: node), with: value)
        }
      } else {
        splice.add(Self.quoted(flag.name) + [UInt8(ascii: ":")] + value, to: flag.holder)
      }
    }
    return splice.spliced()
  }

  private static func quoted(_ text: String) -> [UInt8] {
    let quote = UInt8(ascii: "\"")
    return [quote] + JSONString.escaped(text.utf8) + [quote]
  }
}

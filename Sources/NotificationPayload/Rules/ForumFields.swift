/// ForumMobile's fields, which stand at the payload's top: `imageUrl`, `senderName`, `isGroup`.
///
/// At least two of them make a forum's push: a picture's URL alone is as well a campaign's banner.
struct ForumFields {
  let picture: PayloadNode?
  let name: String?
  let isGroup: Bool

  /// Nil where the payload is not a forum's.
  init?(_ tree: inout PayloadTree) {
    picture = tree.value(FieldPath("imageUrl"), in: PayloadTree.top).flatMap { tree.text(of: $0) == nil ? nil : $0 }
    name = tree.text([FieldPath("senderName")], in: PayloadTree.top)
    let flag = tree.value(FieldPath("isGroup"), in: PayloadTree.top).flatMap { Self.truth($0, tree) }
    isGroup = flag ?? false
    guard [picture != nil, name != nil, flag != nil].filter(\.self).count >= 2 else { return nil }
  }

  /// Yes and no as the servers spell them; nil for what is neither.
  private static func truth(_ value: PayloadNode, _ tree: PayloadTree) -> Bool? {
    switch tree.kind(value) {
    case .yes: return true
    case .no: return false
    default:
      switch tree.text(of: value)?.lowercased() {
      case "true", "1": return true
      case "false", "0": return false
      default: return nil
      }
    }
  }
}

/// Whose form a payload has: where its alert stands, and how it spells that a service extension shall see the push.
enum PayloadForm: Sendable {
  /// What APNs takes or delivers: all about the alert under `aps`.
  case apns
  /// A request to OneSignal's create-notification endpoint.
  case oneSignalRequest
  /// A request to Expo's push service, or what ForumMobile's server takes.
  case mutableContentRequest
  /// None of these, such as the data alone: nothing says where a flag would go.
  case bare

  /// Names and the text of the alert, as they came.
  struct Alert { var title: String?, body: String? }

  private static let requestFields = [
    "app_id", "contents", "headings", "template_id", "include_aliases", "included_segments", "target_channel",
    "include_subscription_ids", "include_player_ids", "include_external_user_ids", "filters", "mutable_content",
  ]
  private static let expoFields = ["mutableContent", "to", "experienceId", "scopeKey"]

  /// The form, by the fields at the payload's top, which is an object.
  init(_ tree: inout PayloadTree) {
    func has(_ name: String) -> Bool { tree.text.member(name, of: PayloadTree.top.node) != nil }
    if tree.object(FieldPath("aps"), in: PayloadTree.top) != nil {
      self = .apns
    } else if Self.requestFields.contains(where: has) {
      self = .oneSignalRequest
    } else if Self.expoFields.contains(where: has) || ForumFields(&tree) != nil {
      self = .mutableContentRequest
    } else {
      // `data` with nothing beside it: the rules know it as a create-notification request's.
      self = tree.object(FieldPath("data"), in: PayloadTree.top) != nil ? .oneSignalRequest : .bare
    }
  }

  /// The alert's texts.
  func alert(_ tree: inout PayloadTree) -> Alert {
    func text(_ path: String) -> String? { tree.text([FieldPath(path)], in: PayloadTree.top) }
    switch self {
    case .apns:
      // An alert that is a string is its body, even one that looks like JSON.
      if let alert = tree.value(FieldPath("aps.alert"), in: PayloadTree.top), tree.kind(alert) != .object {
        return Alert(body: tree.text(of: alert))
      }
      return Alert(title: text("aps.alert.title"), body: text("aps.alert.body"))
    case .oneSignalRequest:
      return Alert(title: Self.localized("headings", &tree), body: Self.localized("contents", &tree))
    case .mutableContentRequest:
      return Alert(title: text("title"), body: text("body"))
    case .bare:
      return Alert()
    }
  }

  /// Where the alert names its conversation.
  var threadID: [FieldPath] {
    switch self {
    case .apns: [FieldPath("aps.thread-id")]
    case .oneSignalRequest: [FieldPath("thread_id")]
    case .mutableContentRequest, .bare: []
    }
  }

  /// The object that holds the flag, the flag's name, and its value that says yes. Nil where the form has none.
  func mutableContent(_ tree: inout PayloadTree) -> (holder: PayloadNode, name: String, value: String)? {
    switch self {
    case .apns: tree.object(FieldPath("aps"), in: PayloadTree.top).map { ($0, "mutable-content", "1") }
    case .oneSignalRequest: (PayloadTree.top, "mutable_content", "true")
    case .mutableContentRequest: (PayloadTree.top, "mutableContent", "true")
    case .bare: nil
    }
  }

  /// English, else the first language by its key that has a text.
  private static func localized(_ name: String, _ tree: inout PayloadTree) -> String? {
    guard let texts = tree.object(FieldPath(name), in: PayloadTree.top) else {
      return tree.text([FieldPath(name)], in: PayloadTree.top)
    }
    if let english = tree.text([FieldPath("en")], in: texts) { return english }
    let text = tree.text(holding: texts)
    let languages = text.members(of: texts.node).map { (name: text.name(of: $0), node: $0) }.sorted {
      $0.name < $1.name
    }
    for language in languages {
      if let found = tree.text(of: PayloadNode(document: texts.document, node: language.node)) { return found }
    }
    return nil
  }
}

/// Reads a payload by the rules: finds the place that decides, then the fields.
struct PayloadReading: Sendable {
  /// A field that holds a picture's URL, usable or not.
  struct PictureField: Sendable {
    var role: AvatarCandidate.Role
    var value: PayloadNode
    var url: String
  }

  private(set) var tree: PayloadTree
  private(set) var decision = PayloadDecision()
  /// The fields whose URLs are avatars, in the order of their roles.
  private(set) var pictures: [PictureField] = []
  private(set) var form = PayloadForm.bare
  /// What the sizes count as the data.
  private(set) var place: PayloadPlace?
  let rules: PayloadRules
  private var alert = PayloadForm.Alert()

  /// Reads all of it. `shown` takes precedence over the payload's alert: on a device it is localized already.
  init(_ text: JSONText, rules: PayloadRules, shown: PayloadForm.Alert? = nil) {
    tree = PayloadTree(text)
    self.rules = rules
    guard tree.kind(PayloadTree.top) == .object else {
      decision.reason = .notAnObject
      return
    }
    form = PayloadForm(&tree)
    alert = form.alert(&tree)
    if let title = shown?.title.flatMap(PayloadText.trimmed) { alert.title = title }
    if let body = shown?.body.flatMap(PayloadText.trimmed) { alert.body = body }
    readItem()
    if !readPlaces(), !readNotifee(), !readForum() { decision.reason = .noType }
    if decision.kind != .other { finish() }
  }

  /// Whether a place has a type: then it decides alone.
  private mutating func readPlaces() -> Bool {
    for path in rules.keys[.places] {
      guard let object = tree.object(path, in: PayloadTree.top) else { continue }
      if place == nil { place = PayloadPlace(path: path, object: object) }
      guard let type = tree.text(rules.keys[.type], in: object) else { continue }
      place = PayloadPlace(path: path, object: object)
      if let chat = rules.chatType(type) { read(chat, object) } else { decision.reason = .type }
      return true
    }
    return false
  }

  private mutating func read(_ chat: ChatType, _ object: PayloadNode) {
    let keys = rules.keys
    decision.kind = chat.kind
    decision.isReaction = chat.isReaction
    decision.senderID = tree.text(keys[.senderID], in: object)
    decision.senderName = name(keys[.senderName], in: object)
    decision.message = alert.body
    switch decision.kind {
    case .group:
      decision.conversationID = tree.text(keys[.groupID], in: object)
      decision.groupName = name(keys[.groupName], in: object) ?? alertName
      take(.group, keys[.groupPicture], in: object)
    case .event:
      decision.conversationID = tree.text(keys[.eventID], in: object)
      decision.groupName = name(keys[.eventName], in: object) ?? alertName
      take(.event, keys[.eventPicture], in: object)
    case .single, .forum, .other:
      decision.conversationID = tree.text(keys[.singleID], in: object)
    }
    take(.sender, keys[.senderPicture], in: object)
  }

  private mutating func readNotifee() -> Bool {
    guard let options = tree.object(FieldPath("notifee_options"), in: PayloadTree.top),
      let chat = tree.object(FieldPath("ios.communicationInfo"), in: options)
    else { return false }
    place = PayloadPlace(path: FieldPath("notifee_options"), object: options)
    func text(_ path: String, in object: PayloadNode) -> String? { tree.text([FieldPath(path)], in: object) }
    alert.title = alert.title ?? text("title", in: options)
    decision.conversationID = text("conversationId", in: chat)
    decision.senderID = text("sender.id", in: chat)
    decision.senderName = name([FieldPath("sender.displayName")], in: chat)
    decision.message = text("body", in: options) ?? alert.body
    decision.groupName = name([FieldPath("groupName")], in: chat)
    take(.group, [FieldPath("groupAvatar")], in: chat)
    decision.kind = decision.groupName == nil && pictures.isEmpty ? .single : .group
    if decision.kind == .group { decision.groupName = decision.groupName ?? alertName }
    take(.sender, [FieldPath("sender.avatar")], in: chat)
    return true
  }

  private mutating func readForum() -> Bool {
    guard let forum = ForumFields(&tree) else { return false }
    place = PayloadPlace(path: FieldPath("."), object: PayloadTree.top)
    decision.kind = .forum
    decision.senderName = forum.name.flatMap(PayloadText.name)
    decision.groupName = forum.isGroup ? decision.senderName ?? alertName : nil
    decision.message = alert.body
    if forum.picture != nil { take(forum.isGroup ? .group : .sender, [FieldPath("imageUrl")], in: PayloadTree.top) }
    return true
  }

  /// What all kinds have in common.
  private mutating func finish() {
    decision.senderName = decision.senderName ?? alertName
    guard let name = decision.senderName ?? decision.groupName else {
      let itemID = decision.itemID, tenant = decision.tenant
      decision = PayloadDecision()
      decision.reason = .noName
      decision.itemID = itemID
      decision.tenant = tenant
      pictures = []
      return
    }
    let knowsSender = decision.senderName != nil || decision.senderID != nil
    decision.groupStyle = decision.groupName != nil && knowsSender
    decision.conversationID = decision.conversationID ?? tree.text(form.threadID, in: PayloadTree.top)
    if decision.kind == .forum { decision.conversationID = decision.conversationID ?? name }
    for picture in pictures where !decision.avatars.contains(where: { $0.url == picture.url }) {
      decision.avatars.append(AvatarCandidate(role: picture.role, url: picture.url))
    }
  }

  /// The item may stand in any place, with or without a type; its tenant stands beside it.
  private mutating func readItem() {
    for path in rules.keys[.places] {
      guard let object = tree.object(path, in: PayloadTree.top),
        let id = tree.text(rules.keys[.itemID], in: object).flatMap(PayloadText.pathID)
      else { continue }
      decision.itemID = id
      decision.tenant = tree.text(rules.keys[.tenant], in: object).flatMap(PayloadText.pathID)
      return
    }
  }

  /// The first usable URL is the role's; every field of the role that holds the same one is a picture.
  private mutating func take(_ role: AvatarCandidate.Role, _ paths: [FieldPath], in object: PayloadNode) {
    var fields: [PictureField] = []
    for path in paths {
      guard let value = tree.value(path, in: object), tree.kind(value) == .string,
        let url = tree.text(of: value).flatMap(PictureURL.usable)
      else { continue }
      if !fields.contains(where: { $0.value == value }) {
        fields.append(PictureField(role: role, value: value, url: url))
      }
    }
    pictures += fields.filter { $0.url == fields[0].url && !holds($0.value) }
  }

  private func holds(_ value: PayloadNode) -> Bool { pictures.contains { $0.value == value } }

  private var alertName: String? { alert.title.flatMap(PayloadText.name) }

  private mutating func name(_ paths: [FieldPath], in object: PayloadNode) -> String? {
    for path in paths {
      if let name = tree.text([path], in: object).flatMap(PayloadText.name) { return name }
    }
    return nil
  }
}

/// Where a payload's data stands.
struct PayloadPlace: Sendable {
  var path: FieldPath
  var object: PayloadNode
}

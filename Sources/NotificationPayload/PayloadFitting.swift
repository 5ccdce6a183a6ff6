extension PushPayload {
  /// What there is to put in a picture's place; neither: the picture is taken out.
  public struct Offer: Hashable, Sendable {
    /// Self-contained, and long.
    public var avatarURL: String?
    /// By the content's hash: short.
    public var objectURL: String?
    /// Names what there is.
    public init(avatarURL: String? = nil, objectURL: String? = nil) {
      self.avatarURL = avatarURL
      self.objectURL = objectURL
    }
  }

  /// A payload that was made to fit, and how large it is.
  public struct Fitted: Hashable, Sendable {
    /// The text.
    public let json: [UInt8]
    /// Its sizes; `fits` is false where the texts alone are too large.
    public let sizes: PayloadSizes
  }

  /// Longest URL that is put into a payload, in bytes; longer ones count as too large.
  public static let maximumURLBytes = 2000

  /// The payload with what is offered for its pictures, made to fit: object URLs first, then the sender's URL goes, then the
  /// group's. Text is never cut. A payload that is no chat comes back as it came.
  public func fitted(prefersObjects: Bool = false, offer: (AvatarCandidate) -> Offer) -> Fitted {
    guard decision.kind != .other else { return Fitted(json: json, sizes: sizes) }
    let offers = Dictionary(pictures.map { ($0, offer($0)) }, uniquingKeysWith: { first, _ in first })
    var last = Fitted(json: json, sizes: sizes)
    for step in Step.allCases {
      let text = rewritten { picture in
        step.url(picture.role, offers[picture] ?? Offer(), prefersObjects).map(PictureChange.replace) ?? .remove
      }
      // What was spliced from JSON is JSON; a text that is not would be no payload to hand out.
      guard let payload = PushPayload(json: text, rules: reading.rules) else { return last }
      last = Fitted(json: text, sizes: payload.sizes)
      if last.sizes.fits { break }
    }
    return last
  }

  private enum Step: CaseIterable {
    case asPreferred, objects, withoutSender, withoutPictures

    func url(_ role: AvatarCandidate.Role, _ offer: Offer, _ prefersObjects: Bool) -> String? {
      if self == .withoutPictures || (self == .withoutSender && role == .sender) { return nil }
      let inOrder =
        self != .asPreferred || prefersObjects
        ? [offer.objectURL, offer.avatarURL] : [offer.avatarURL, offer.objectURL]
      return inOrder.compactMap(\.self).first { $0.utf8.count <= PushPayload.maximumURLBytes }
    }
  }
}

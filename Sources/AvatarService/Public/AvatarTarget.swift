import AvatarCore

/// A request target that may be served: its sources under the names by which their avatars are kept.
struct AvatarTarget: Sendable {
  let sources: [AvatarSource]
}

import AvatarCore
import NotificationPayload

/// The body of `POST /v1/notifications`. The payload stays text: what is not rewritten goes back byte for byte.
struct NotificationsOrder {
  /// Which URL goes into the payload where there is a choice.
  enum Preference: String { case avatar, object }

  /// Any JSON value, as it stands in the body.
  let payload: [UInt8]
  /// A duration as text; nil for none.
  let wait: String?
  let prefers: Preference

  /// Throws `invalid_request` for what is not JSON, or not of this form. Unknown members are ignored.
  init(_ body: [UInt8]) throws(AvatarError) {
    guard let text = JSONText(body), text.kind(0) == .object else {
      throw AvatarError(.invalidRequest, "the body is no JSON object")
    }
    guard let payload = text.member("payload", of: 0) else { throw AvatarError(.invalidRequest, "no payload") }
    self.payload = Array(text.raw(payload))
    wait = try Self.string("wait", in: text)
    guard let prefers = Preference(rawValue: try Self.string("prefer", in: text) ?? Preference.avatar.rawValue) else {
      throw AvatarError(.invalidRequest, "prefer is avatar or object")
    }
    self.prefers = prefers
  }

  private static func string(_ name: String, in text: JSONText) throws(AvatarError) -> String? {
    guard let member = text.member(name, of: 0), text.kind(member) != .null else { return nil }
    guard let string = text.string(member) else { throw AvatarError(.invalidRequest, "\(name) is no string") }
    return string
  }
}

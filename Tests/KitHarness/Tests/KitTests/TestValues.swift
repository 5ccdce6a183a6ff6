import Foundation
import ImageIO
import Intents
import Testing
import UserNotifications

@testable import NotificationAvatarKit
@testable import NotificationPayload

/// Candidates by way of a payload: there is no other way to one.
enum Candidates {
  static func make(_ url: String, _ role: AvatarCandidate.Role) -> AvatarCandidate {
    AvatarCandidate(role: role, url: url)
  }
}

/// What the stand-in of ImageIO was asked for.
enum Decoding {
  static func happened(_ width: Int, _ height: Int) -> Bool { Decodes.contain(width, height) }
}

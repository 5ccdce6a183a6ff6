#if canImport(UserNotifications)
  import Foundation
  import UserNotifications

  /// Puts a picture beside a notification as an attachment.
  enum PictureAttachment {
    /// A copy of `content` with the picture attached, before what is attached already.
    static func attached(_ picture: AvatarPicture, to content: UNNotificationContent) throws -> UNNotificationContent {
      guard let copy = content.mutableCopy() as? UNMutableNotificationContent else { return content }
      // The system moves the file away; a folder of its own keeps parallel pushes apart.
      let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("avatar-\(UUID().uuidString)", isDirectory: true)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      do {
        let file = folder.appendingPathComponent("avatar.jpg")
        try picture.jpeg.write(to: file)
        copy.attachments =
          [try UNNotificationAttachment(identifier: "avatar", url: file, options: nil)] + content.attachments
        return copy
      } catch {
        // Nothing refers to the folder; what is left of it goes with the temporary directory at the latest.
        try? FileManager.default.removeItem(at: folder)
        throw error
      }
    }
  }
#endif

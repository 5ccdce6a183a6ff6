// swift-tools-version: 6.2
import PackageDescription

// The phone's library, type-checked and run where Apple's frameworks are not. A package of its own, never in the main graph: there the
// stand-ins would make every `canImport` true.
let rules: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]
let standIns: [Target.Dependency] = ["UserNotifications", "Intents", "ImageIO", "UniformTypeIdentifiers"]

let package = Package(
  name: "KitHarness",
  targets: [
    .target(name: "UserNotifications", swiftSettings: rules),
    .target(name: "Intents", dependencies: ["UserNotifications"], swiftSettings: rules),
    .target(name: "UniformTypeIdentifiers", swiftSettings: rules),
    .target(name: "ImageIO", swiftSettings: rules),
    .target(name: "OneSignalExtension", dependencies: ["UserNotifications"], swiftSettings: rules),
    // Links to the folders of the main package: the very files that ship.
    .target(name: "NotificationPayload", swiftSettings: rules),
    .target(
      name: "NotificationAvatarKit", dependencies: ["NotificationPayload"] + standIns, swiftSettings: rules),
    .target(
      name: "ExamplePlain", dependencies: ["NotificationAvatarKit"] + standIns, swiftSettings: rules),
    .target(
      name: "ExampleOneSignal", dependencies: ["NotificationAvatarKit", "OneSignalExtension"] + standIns,
      swiftSettings: rules),
    .target(
      name: "ExampleApp", swiftSettings: rules),
    .testTarget(
      name: "KitTests",
      dependencies: ["NotificationAvatarKit", "ExamplePlain", "ExampleOneSignal", "ExampleApp"] + standIns,
      swiftSettings: rules),
  ],
  swiftLanguageModes: [.v6])

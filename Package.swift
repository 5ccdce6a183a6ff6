// swift-tools-version: 6.2
import PackageDescription

// The rules that every Swift target is built by. None is an unsafe flag: the iOS products must stay usable as a
// dependency in Xcode.
let rules: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

// Products that a phone links: Foundation only, no C library anywhere in their graph.
var products: [Product] = [
  .library(name: "NotificationPayload", targets: ["NotificationPayload"]),
  .library(name: "NotificationAvatarKit", targets: ["NotificationAvatarKit"]),
]
// Where Apple's frameworks are, a new SDK's warning must not stop an app's build; here it stops ours.
let phoneRules: [SwiftSetting] =
  rules.dropLast() + [.treatAllWarnings(as: .error, .when(platforms: [.linux]))]
var targets: [Target] = [
  .target(name: "NotificationPayload", swiftSettings: rules),
  .target(name: "NotificationAvatarKit", dependencies: ["NotificationPayload"], swiftSettings: phoneRules),
  .testTarget(
    name: "NotificationPayloadTests", dependencies: ["NotificationPayload"], exclude: ["Cases"],
    swiftSettings: rules),
]

#if os(Linux)
  // The service. Each C library has exactly one Swift owner; HouseRuleTests hold that.
  products += [
    .executable(name: "avatar-server", targets: ["avatar-server"]),
    .executable(name: "avatar-worker", targets: ["avatar-worker"]),
    .executable(name: "avatar-bench", targets: ["avatar-bench"]),
    .executable(name: "bare-responder", targets: ["bare-responder"]),
  ]
  targets += [
    .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl"), .linkedLibrary("ssl")]),
    .target(
      name: "CVips",
      linkerSettings: ["vips", "gmodule-2.0", "gobject-2.0", "glib-2.0"].map { .linkedLibrary($0) }),
    .target(name: "CJPEG", linkerSettings: [.linkedLibrary("jpeg")]),
    .target(name: "CWebP", linkerSettings: [.linkedLibrary("webp")]),
    .target(name: "CResample"),
    .target(name: "CMicroHTTPD", linkerSettings: [.linkedLibrary("microhttpd")]),
    .target(name: "CCrypto", linkerSettings: [.linkedLibrary("crypto")]),
    .target(name: "CSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(name: "CFiles"),
    .target(name: "CIDN2", linkerSettings: [.linkedLibrary("idn2")]),
    .target(name: "CThreads"),
    .target(name: "CMemory"),
    .target(name: "CLinux", dependencies: ["CThreads"], linkerSettings: [.linkedLibrary("seccomp")]),

    .target(name: "AvatarCore", dependencies: ["CMemory", "CThreads"], swiftSettings: rules),
    .target(name: "AvatarCrypto", dependencies: ["AvatarCore", "CCrypto"], swiftSettings: rules),
    .target(name: "AvatarNames", dependencies: ["AvatarCore", "CIDN2"], swiftSettings: rules),
    .target(name: "AvatarFetch", dependencies: ["AvatarCore", "CCurl"], swiftSettings: rules),
    .target(name: "AvatarStore", dependencies: ["AvatarCore", "CFiles", "CSQLite"], swiftSettings: rules),
    .target(
      name: "AvatarNormalize", dependencies: ["AvatarCore", "CJPEG", "CResample", "CVips", "CWebP"],
      swiftSettings: rules),
    // For `avatar-bench` alone: nothing named Bench… runs in the service.
    .target(
      name: "BenchNormalize", dependencies: ["AvatarCore", "AvatarNormalize", "CVips"], swiftSettings: rules),
    .target(name: "AvatarWorkers", dependencies: ["AvatarCore", "CLinux"], swiftSettings: rules),
    .target(name: "AvatarHTTP", dependencies: ["AvatarCore", "CMicroHTTPD"], swiftSettings: rules),
    .target(name: "AvatarService", dependencies: ["AvatarCore", "NotificationPayload"], swiftSettings: rules),

    // The benchmark's; the service uses none of them.
    .target(name: "BenchPictures", dependencies: ["CVips"], swiftSettings: rules),
    .target(name: "BenchOrigin", dependencies: ["AvatarCore", "BenchPictures", "CLinux"], swiftSettings: rules),

    .target(
      name: "AvatarBench",
      dependencies: [
        "AvatarCore", "AvatarCrypto", "AvatarNames", "AvatarService", "AvatarStore", "BenchNormalize",
        "CLinux",
      ],
      swiftSettings: rules),
    .executableTarget(
      name: "avatar-bench", dependencies: ["AvatarCore", "AvatarBench", "BenchOrigin", "BenchPictures"],
      swiftSettings: rules),
    .executableTarget(
      name: "bare-responder", path: "benchmarks/bare-responder", linkerSettings: [.linkedLibrary("microhttpd")]),

    .executableTarget(
      name: "avatar-server",
      dependencies: [
        "AvatarCore", "AvatarCrypto", "AvatarNames", "AvatarFetch", "AvatarStore", "AvatarWorkers", "AvatarHTTP",
        "AvatarService",
      ],
      swiftSettings: rules),
    .executableTarget(
      name: "avatar-worker", dependencies: ["AvatarCore", "AvatarNormalize", "AvatarWorkers"],
      swiftSettings: rules),

    .testTarget(
      name: "AvatarCoreTests", dependencies: ["AvatarCore", "AvatarCrypto", "AvatarNames"], swiftSettings: rules),
    .testTarget(name: "AvatarFetchTests", dependencies: ["AvatarFetch", "AvatarNames"], swiftSettings: rules),
    .executableTarget(
      name: "store-probe", dependencies: ["AvatarStore", "AvatarCrypto"], path: "Tests/Support/store-probe",
      swiftSettings: rules),
    .testTarget(
      name: "AvatarStoreTests", dependencies: ["AvatarStore", "AvatarCrypto", "store-probe"], swiftSettings: rules),
    .target(name: "CProbe", path: "Tests/Support/CProbe"),
    .executableTarget(
      name: "confinement-probe", dependencies: ["AvatarCore", "AvatarWorkers", "CProbe"],
      path: "Tests/Support/confinement-probe", swiftSettings: rules),
    .testTarget(
      name: "AvatarNormalizeTests", dependencies: ["AvatarNormalize", "CResample"], exclude: ["Samples"],
      swiftSettings: rules),
    .testTarget(name: "BenchNormalizeTests", dependencies: ["BenchNormalize"], swiftSettings: rules),
    .testTarget(
      name: "AvatarWorkersTests", dependencies: ["AvatarWorkers", "CProbe", "avatar-worker", "confinement-probe"],
      swiftSettings: rules),
    .testTarget(name: "AvatarHTTPTests", dependencies: ["AvatarHTTP"], swiftSettings: rules),
    .testTarget(
      name: "AvatarServiceTests",
      dependencies: ["AvatarService", "AvatarCrypto", "AvatarNames", "NotificationPayload"],
      swiftSettings: rules),
    .testTarget(
      name: "BenchOriginTests", dependencies: ["AvatarCore", "BenchOrigin", "BenchPictures", "CVips"],
      swiftSettings: rules),
    .testTarget(name: "AvatarBenchTests", dependencies: ["AvatarBench", "AvatarCore"], swiftSettings: rules),
    .testTarget(name: "HouseRuleTests", dependencies: ["AvatarCore", "AvatarService"], swiftSettings: rules),
  ]
#endif

let package = Package(
  name: "avatar-server",
  platforms: [.iOS(.v14), .macOS(.v12)],
  products: products,
  targets: targets,
  swiftLanguageModes: [.v6])

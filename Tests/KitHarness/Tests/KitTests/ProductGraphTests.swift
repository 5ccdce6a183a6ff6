import Foundation
import Testing

/// What a phone links: Swift, and Swift alone.
struct ProductGraphTests {
  /// What `swift package describe --type json` says, as far as it matters.
  struct Graph: Decodable {
    struct Target: Decodable {
      var name: String
      var module_type: String
      var target_dependencies: [String]?
      var product_dependencies: [String]?
    }
    struct Product: Decodable {
      var name: String
      var targets: [String]
    }
    var targets: [Target]
    var products: [Product]

    /// Everything below a product that is not a Swift target of this package.
    func foreign(below product: String) -> [String] {
      var waiting = products.first { $0.name == product }?.targets ?? []
      guard !waiting.isEmpty else { return ["no product \(product)"] }
      var seen: Set<String> = [], found: [String] = []
      while let name = waiting.popLast() {
        guard seen.insert(name).inserted else { continue }
        guard let target = targets.first(where: { $0.name == name }) else {
          found.append("\(name) is nowhere")
          continue
        }
        if target.module_type != "SwiftTarget" { found.append("\(name) is a \(target.module_type)") }
        found += target.product_dependencies ?? []
        waiting += target.target_dependencies ?? []
      }
      return found
    }
  }

  static func describe() throws -> Graph {
    let folder = try Folder()
    let process = Process(), output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    // A build folder of its own: whoever runs this test may hold the lock of the usual one.
    process.arguments = [
      "swift", "package", "--package-path", SourceRuleTests.package.path, "--scratch-path", folder.url.path, "describe",
      "--type", "json",
    ]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(String(decoding: bytes, as: UTF8.self))")
    return try JSONDecoder().decode(Graph.self, from: bytes)
  }

  @Test func `the products of a phone have no C target in their graph`() throws {
    let graph = try Self.describe()
    for product in ["NotificationAvatarKit", "NotificationPayload"] {
      #expect(graph.foreign(below: product) == [], "\(product)")
    }
    // The same question to the service finds its C libraries: the test looks.
    #expect(graph.foreign(below: "avatar-server").contains("CCurl is a ClangTarget"))
    #expect(graph.foreign(below: "nowhere") == ["no product nowhere"])
  }
}

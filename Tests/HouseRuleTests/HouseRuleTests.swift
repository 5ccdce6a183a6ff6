import Foundation
import Testing

/// Guards the plan of the house. Each rule comes with a sample that breaks it, so that a rule that finds nothing is known to look.
struct HouseRuleTests {
  static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static var files: [SourceFile] {
    var files: [SourceFile] = []
    for folder in ["Sources", "Tests"] {
      let root = package.appendingPathComponent(folder)
      guard
        let walk = FileManager.default.enumerator(
          at: root, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
      else { continue }
      for case let url as URL in walk where ["swift", "c", "h"].contains(url.pathExtension) {
        guard let text = try? String(contentsOf: url, encoding: .utf8) else { continue }
        files.append(SourceFile(path: String(url.path.dropFirst(package.path.count + 1)), text: text))
      }
    }
    return files
  }

  @Test func `the sources are found`() {
    #expect(Self.files.count > 50)
    for target in HouseRule.mayImport.keys {
      #expect(Self.files.contains { $0.target == target }, "no file in \(target)")
    }
  }

  @Test(arguments: HouseRule.all.map(\.name))
  func `every file keeps the rule`(name: String) throws {
    let rule = try #require(HouseRule.all.first { $0.name == name })
    let faults = Self.files.flatMap { file in rule.faults(file).map { "\(file.path) \($0)" } }
    #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
  }

  static let badSamples: [(rule: String, path: String, text: String)] = [
    (HouseRule.libraryOwner.name, "Sources/AvatarService/A.swift", "internal import CCurl\n"),
    (HouseRule.libraryOwner.name, "Sources/AvatarFetch/A.swift", "import CVips\n"),
    (HouseRule.libraryOwner.name, "Sources/BenchOrigin/A.swift", "import CVips\n"),
    (HouseRule.direction.name, "Sources/AvatarService/A.swift", "import BenchPictures\n"),
    (HouseRule.direction.name, "Sources/avatar-server/A.swift", "import BenchOrigin\n"),
    (HouseRule.libraryOwner.name, "Sources/BenchNormalize/A.swift", "import CJPEG\n"),
    (HouseRule.direction.name, "Sources/avatar-worker/A.swift", "import BenchNormalize\n"),
    (HouseRule.direction.name, "Sources/AvatarFetch/A.swift", "import AvatarStore\n"),
    (HouseRule.direction.name, "Sources/AvatarCore/A.swift", "public import AvatarService\n"),
    (HouseRule.direction.name, "Sources/Unknown/A.swift", ""),
    (HouseRule.foundation.name, "Sources/AvatarService/A.swift", "import Foundation\n"),
    (HouseRule.foundation.name, "Sources/AvatarCore/A.swift", "import FoundationEssentials\n"),
    (HouseRule.length.name, "Sources/AvatarCore/A.swift", String(repeating: "\n", count: 301)),
    (HouseRule.bannedNames.name, "Sources/AvatarCore/A.swift", "final class CacheManager {}\n"),
    (HouseRule.bannedCalls.name, "Sources/AvatarCore/A.swift", "let a = try! b()\n"),
    (HouseRule.bannedCalls.name, "Sources/AvatarCore/A.swift", "let a = b as! C\n"),
    (HouseRule.bannedCalls.name, "Sources/AvatarStore/A.swift", "print(1)\n"),
    (HouseRule.uncheckedSendable.name, "Sources/AvatarCore/A.swift", "final class A: @unchecked Sendable {\n}\n"),
    (HouseRule.machinePaths.name, "Tests/ATests/A.swift", "let path = \"/" + "home/somebody\"\n"),
  ]

  @Test(arguments: badSamples.indices)
  func `every rule bites`(index: Int) throws {
    let sample = Self.badSamples[index]
    let rule = try #require(HouseRule.all.first { $0.name == sample.rule })
    #expect(!rule.faults(SourceFile(path: sample.path, text: sample.text)).isEmpty, "\(sample)")
  }

  @Test func `every rule has a bad sample`() {
    for rule in HouseRule.all { #expect(Self.badSamples.contains { $0.rule == rule.name }, "\(rule.name)") }
  }

  @Test func `words in comments and strings are not code`() {
    let file = SourceFile(path: "Sources/AvatarCore/A.swift", text: "// try! is banned\nlet a = \"try! \"\n")
    #expect(HouseRule.bannedCalls.faults(file).isEmpty)
  }
}

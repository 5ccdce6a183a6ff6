import Foundation
import Testing

/// What the compiler on Linux cannot know: which of Foundation an iPhone with iOS 14 has. Of every source file that a phone links.
struct SourceRuleTests {
  static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Newer than iOS 14, and none of them behind `#available` here.
  static let banned = [
    "Duration", "ContinuousClock", "SuspendingClock", "Clock", "Synchronization", "Mutex", "Atomic",
    "FoundationEssentials", "OSAllocatedUnfairLock", "Regex", "AttributedString", "InlineArray", "Span",
    "URL(filePath:", ".appending(path:", ".appending(component:", ".cachesDirectory)", "URL.cachesDirectory", ".host()",
    ".path()", ".replacing(", ".firstRange(", ".wholeMatch(", ".formatted(", "Date.now", "String(localized:",
    "allowsJSON5", "Task.sleep(for:", "Task.sleep(until:", "DispatchSerialQueue", "UIKit", "UIImage", "SwiftUI",
    "some Clock", "any Clock", "nonisolated(unsafe)", "unsafeFlags", "withExtendedLifetime(", "await ", " async",
    // Blocking or ending the extension.
    "DispatchSemaphore", "DispatchGroup", "Thread.sleep", "fatalError(", "try!", "as!", "print(", "NSLog(",
  ].filter { $0 != ".cachesDirectory)" }

  /// What a file may import, always or behind `canImport`.
  static let imports: Set<String> = [
    "Foundation", "FoundationNetworking", "Dispatch", "NotificationPayload", "UserNotifications", "Intents", "ImageIO",
    "UniformTypeIdentifiers", "os",
  ]

  static func files(_ folder: String) throws -> [(name: String, text: String)] {
    let root = package.appendingPathComponent(folder)
    let names = try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".swift") }
    return try names.map { ($0, try String(contentsOf: root.appendingPathComponent($0), encoding: .utf8)) }
  }

  static func code(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard let comment = line.range(of: "//") else { return String(line) }
      // A URL in a text is no comment.
      return line[..<comment.lowerBound].hasSuffix(":") ? String(line) : String(line[..<comment.lowerBound])
    }
  }

  /// What the examples import beside these.
  static let examples: Set<String> = ["NotificationAvatarKit", "OneSignalExtension"]

  static func faults(_ text: String, alsoImports others: Set<String> = []) -> [String] {
    var faults: [String] = []
    for (index, line) in code(text).enumerated() {
      for word in banned where contains(line, word) { faults.append("\(index + 1): \(word)") }
      let words = line.split(separator: " ").filter { !["public", "internal", "private", "@testable"].contains($0) }
      if words.first == "import", words.count > 1, !imports.union(others).contains(String(words[1])) {
        faults.append("\(index + 1): import \(words[1])")
      }
    }
    return faults
  }

  /// As a whole word where it is one.
  static func contains(_ line: String, _ word: String) -> Bool {
    var rest = line[...]
    while let range = rest.range(of: word) {
      let before = rest[..<range.lowerBound].last, after = rest[range.upperBound...].first
      func isPart(_ character: Character?) -> Bool {
        character.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false
      }
      let startsInside = word.first?.isLetter == true && isPart(before)
      let endsInside = word.last?.isLetter == true && isPart(after)
      if !startsInside && !endsInside { return true }
      rest = rest[range.upperBound...]
    }
    return false
  }

  @Test(arguments: ["Sources/NotificationAvatarKit", "Sources/NotificationPayload", "Examples"])
  func `nothing newer than iOS 14, and nothing that an extension must not do`(folder: String) throws {
    let files = try Self.files(folder)
    #expect(files.count > 3)
    let others = folder == "Examples" ? Self.examples : []
    for file in files { #expect(Self.faults(file.text, alsoImports: others) == [], "\(folder)/\(file.name)") }
  }

  @Test(arguments: [
    "let a: Duration = x", "import Synchronization", "import FoundationEssentials", "let m = Mutex(0)", "import CCurl",
    "url.appending(path: x)", "try! a()", "await x()", "let l = OSAllocatedUnfairLock()", "import UIKit",
    "func f<C: Clock>(c: C)", "let u = URL(filePath: x)", "import CryptoKit", "func f() async {}",
    "import NotificationAvatarKit",
  ])
  func `each of these would be found`(line: String) {
    #expect(!Self.faults("// fine\n\(line)\n").isEmpty, "\(line)")
  }

  @Test func `words in comments, and parts of words, are not code`() {
    #expect(Self.faults("/// A Duration is banned.\nlet secondsOClock = durations(\"https://a.example\")").isEmpty)
  }

  @Test func `what is newer than iOS 14 stands behind a check`() throws {
    for file in try Self.files("Sources/NotificationAvatarKit") {
      let uses = Self.code(file.text).contains {
        $0.contains(".updating(from:") || $0.contains("INSendMessageIntentDonationMetadata")
      }
      let isGuarded = file.text.contains("#available(iOS 15, *)") || file.text.contains("@available(iOS 15, *)")
      #expect(!uses || isGuarded, "\(file.name)")
    }
  }

  @Test func `no stand-in is named CoreGraphics, and none is in the main package`() throws {
    let harness = Self.package.appendingPathComponent("Tests/KitHarness/Sources").path
    #expect(!(try FileManager.default.contentsOfDirectory(atPath: harness)).contains("CoreGraphics"))
    let manifest = try String(contentsOf: Self.package.appendingPathComponent("Package.swift"), encoding: .utf8)
    for name in ["KitHarness", "UserNotifications", "unsafeFlags"] { #expect(!manifest.contains(name), "\(name)") }
  }
}

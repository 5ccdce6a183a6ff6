/// One source file as the rules see it.
struct SourceFile {
  /// Relative to the package, such as `Sources/AvatarFetch/CurlFetcher.swift`.
  var path: String
  var text: String

  /// The target's name: the folder below `Sources` or `Tests`.
  var target: String {
    let parts = path.split(separator: "/")
    return parts.count > 2 ? String(parts[1]) : ""
  }
  var isSwift: Bool { path.hasSuffix(".swift") }
  var isProduct: Bool { path.hasPrefix("Sources/") }

  /// Modules that the file imports.
  var imports: [String] {
    text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ").filter {
        !["public", "internal", "package", "private"].contains($0) && !$0.hasPrefix("@")
      }
      guard words.count >= 2, words[0] == "import" else { return nil }
      return words[1].split(separator: ".").first.map(String.init)
    }
  }

  /// Lines without their comments and string contents, so that words in prose are not taken for code.
  var codeLines: [(number: Int, code: String)] {
    text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, line in
      var code = ""
      var inString = false
      var previous: Character = " "
      for character in line {
        if character == "\"", previous != "\\" { inString.toggle() }
        if !inString, character == "/", previous == "/" {
          code.removeLast()
          break
        }
        if !inString || character == "\"" { code.append(character) }
        previous = character
      }
      return (index + 1, code)
    }
  }
}

/// A rule of the house: a name, and what it finds wrong with a file.
struct HouseRule {
  var name: String
  var faults: @Sendable (SourceFile) -> [String]

  /// Each C module and the one target that may import it.
  static let owners = [
    "CCurl": "AvatarFetch", "CVips": "AvatarNormalize", "CJPEG": "AvatarNormalize", "CWebP": "AvatarNormalize",
    "CResample": "AvatarNormalize", "CMicroHTTPD": "AvatarHTTP",
    "CCrypto": "AvatarCrypto",
    "CSQLite": "AvatarStore", "CFiles": "AvatarStore", "CLinux": "AvatarWorkers", "CIDN2": "AvatarNames",
    "CThreads": "AvatarCore",
    "CMemory": "AvatarCore",
  ]

  /// Targets of the benchmark that stand on an owner's library too. The service is not made of them: `mayImport` has them
  /// for no target but the benchmark's own.
  static let benchmarkOwners: [String: Set<String>] = [
    "CVips": ["BenchPictures", "BenchNormalize"], "CLinux": ["BenchOrigin", "AvatarBench"],
  ]

  /// Which of our own modules a target may import. Adapters meet at the core's ports and never each other.
  static let mayImport: [String: Set<String>] = [
    "AvatarCore": [], "NotificationPayload": [], "NotificationAvatarKit": ["NotificationPayload"],
    "AvatarCrypto": ["AvatarCore"], "AvatarNames": ["AvatarCore"],
    "AvatarFetch": ["AvatarCore"], "AvatarStore": ["AvatarCore"], "AvatarWorkers": ["AvatarCore"],
    "AvatarNormalize": ["AvatarCore"], "AvatarHTTP": ["AvatarCore"],
    "AvatarService": ["AvatarCore", "NotificationPayload"], "BenchNormalize": ["AvatarCore", "AvatarNormalize"],
    "avatar-server": [
      "AvatarCore", "AvatarCrypto", "AvatarNames", "AvatarFetch", "AvatarStore", "AvatarWorkers", "AvatarHTTP",
      "AvatarService", "NotificationPayload",
    ],
    "avatar-worker": ["AvatarCore", "AvatarNormalize", "AvatarWorkers"],
    "BenchPictures": [], "BenchOrigin": ["AvatarCore", "BenchPictures"],
    "AvatarBench": [
      "AvatarCore", "AvatarCrypto", "AvatarNames", "AvatarService", "AvatarStore", "BenchNormalize", "BenchPictures",
    ],
    "avatar-bench": ["AvatarCore", "AvatarBench", "BenchOrigin", "BenchPictures"],
  ]

  static let all = [
    libraryOwner, direction, foundation, length, bannedNames, bannedCalls, uncheckedSendable, machinePaths,
  ]

  static let libraryOwner = HouseRule(name: "each C library has one owner") { file in
    guard file.isProduct else { return [] }
    return file.imports.compactMap { module in
      guard let owner = owners[module], owner != file.target, benchmarkOwners[module]?.contains(file.target) != true
      else { return nil }
      return "imports \(module), which belongs to \(owner)"
    }
  }

  static let direction = HouseRule(name: "imports point from programs to adapters to the core") { file in
    guard file.isProduct, file.isSwift else { return [] }
    guard let allowed = mayImport[file.target] else { return ["is in a target that no rule knows: \(file.target)"] }
    return file.imports.filter { mayImport[$0] != nil && $0 != file.target && !allowed.contains($0) }
      .map { "imports \($0), which \(file.target) must not know" }
  }

  static let foundation = HouseRule(name: "whole Foundation only where a phone needs it") { file in
    guard file.isProduct, !["NotificationPayload", "NotificationAvatarKit"].contains(file.target) else { return [] }
    var faults = file.imports.filter { $0 == "Foundation" }.map { _ in
      "imports Foundation; FoundationEssentials is enough"
    }
    if ["AvatarCore", "AvatarHTTP"].contains(file.target), file.imports.contains("FoundationEssentials") {
      faults.append("imports FoundationEssentials: the core and the path of a hit do without")
    }
    return faults
  }

  static let length = HouseRule(name: "a file has at most 300 lines") { file in
    let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false).count
    return lines > 300 ? ["has \(lines) lines: probably two rooms"] : []
  }

  static let bannedNames = HouseRule(name: "types are named for what they are") { file in
    guard file.isSwift else { return [] }
    return file.codeLines.flatMap { number, code -> [String] in
      let words = code.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
      return zip(words, words.dropFirst()).compactMap { keyword, name in
        guard ["class", "struct", "enum", "actor", "protocol"].contains(keyword) else { return nil }
        let banned = ["Manager", "Helper", "Helpers", "Utils", "Util", "Common", "Impl"].first { name.hasSuffix($0) }
        return banned.map { "line \(number): \(name) ends in \($0)" }
      }
    }
  }

  static let bannedCalls = HouseRule(name: "nothing from outside may end the program") { file in
    guard file.isProduct, file.isSwift else { return [] }
    return file.codeLines.flatMap { number, code -> [String] in
      ["try!", " as! ", "fatalError(", "DispatchSemaphore", "Thread.sleep", "usleep(", "print("]
        .filter { code.contains($0) && !(($0 == "print(") && file.target == "avatar-server") }
        .map { "line \(number): \($0)" }
    }
  }

  static let uncheckedSendable = HouseRule(name: "@unchecked Sendable says why it is safe") { file in
    guard file.isProduct, file.isSwift else { return [] }
    let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.indices.compactMap { index in
      guard lines[index].contains("@unchecked Sendable") else { return nil }
      let near = lines[max(0, index - 4)...min(lines.count - 1, index + 2)]
      return near.contains { $0.contains("//") } ? nil : "line \(index + 1): no comment says why"
    }
  }

  static let machinePaths = HouseRule(name: "no path of one machine") { file in
    let forbidden = ["work", "root", "home"].map { "/\($0)/" }
    return forbidden.filter { file.text.contains($0) && !file.path.hasSuffix("HouseRules.swift") }.map { "names \($0)" }
  }
}

public import AvatarCore
import Glibc

/// Reads a configuration's files and loads the whole. Blocks while it reads: for the start and for reloads, on a thread
/// of their own.
public struct ConfigurationLoader: Sendable {
  /// Read where neither `--config` nor `AVATAR_CONFIG` names a file, if it is there.
  public static let defaultPath = "config/avatar-server.json5"
  /// The most that a configuration or a file of secrets may have.
  static let maximumBytes = 1 << 20

  private let path: String?
  private let environment: [String: String]
  private let flags: [(name: String, text: String)]

  /// `path` is what `--config` gave, nil without; `flags` are the keys' flags by the keys' names, later ones winning.
  public init(path: String?, environment: [String: String], flags: [(name: String, text: String)]) {
    let named = environment["AVATAR_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
    self.path = path ?? named
    self.environment = environment
    self.flags = flags
  }

  /// Loads file, environment and flags. Throws every fault at once, those of reading included.
  public func load() throws(ConfigurationFaults) -> LoadedConfiguration {
    var faults: [ConfigurationFault] = []
    let file = readFile(&faults)
    return try Configuration.load(
      ConfigurationInputs(
        file: file, fileFaults: faults, environment: environment, flags: flags, parse: { JSON5Text.parse($0) },
        readSecrets: Self.readSecrets))
  }

  private func readFile(_ faults: inout [ConfigurationFault]) -> ConfigurationInputs.File? {
    let path = path ?? Self.defaultPath
    func fault(_ reason: String, line: Int? = nil, key: String = "configuration") {
      faults.append(ConfigurationFault(key: key, value: nil, origin: .file(path: path, line: line), reason: reason))
    }
    switch Self.read(path) {
    case .failure(let failure):
      if self.path != nil || failure.number != ENOENT { fault("cannot be read: \(failure.reason)") }
    case .success(let content):
      do {
        let (root, lines, duplicates) = try JSON5Text.parseFile(content.text)
        for (key, line) in duplicates { fault("is given twice in this file", line: line, key: key) }
        return ConfigurationInputs.File(
          path: path, root: root, lines: lines, isWorldReadable: content.isWorldReadable)
      } catch {
        fault("is not valid JSON5" + (error.line == nil ? ": it is empty" : " from this line on"), line: error.line)
      }
    }
    return nil
  }

  private static func readSecrets(_ path: String) -> Result<SecretFile, SecretFile.Unreadable> {
    read(path).mapError { SecretFile.Unreadable(reason: $0.reason) }
  }

  private struct Failure: Error {
    var number: Int32
    var reason: String
  }

  /// Pipes are read to their end, so that `--config <(…)` and secrets from a command work.
  private static func read(_ path: String) -> Result<SecretFile, Failure> {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return .failure(lastFailure()) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return .failure(lastFailure()) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return .failure(lastFailure()) }
      if count == 0 { break }
      bytes += chunk[..<count]
      guard bytes.count <= maximumBytes else {
        return .failure(Failure(number: EFBIG, reason: "it has more than \(ByteCountText.format(maximumBytes))"))
      }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      return .failure(Failure(number: EILSEQ, reason: "it is not UTF-8"))
    }
    let isRegular = status.st_mode & S_IFMT == S_IFREG
    return .success(SecretFile(text: text, isWorldReadable: isRegular && status.st_mode & S_IROTH != 0))
  }

  private static func lastFailure() -> Failure {
    let number = errno
    return Failure(number: number, reason: strerror(number).map { String(cString: $0) } ?? "error \(number)")
  }
}

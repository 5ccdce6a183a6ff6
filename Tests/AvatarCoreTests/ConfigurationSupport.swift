import AvatarCore

/// A load without files: flat dotted keys, variables and flags.
struct ConfigurationLoad {
  var file: [String: ConfigurationValue]?
  var isFileWorldReadable = false
  var environment: [String: String] = [:]
  var flags: [(name: String, text: String)] = []
  /// Files of secrets by path; all others are missing.
  var secrets: [String: SecretFile] = [:]
  /// What stands for a JSON5 parser: the texts that a test needs.
  var parsed: [String: ConfigurationValue] = [:]

  func run() throws(ConfigurationFaults) -> LoadedConfiguration {
    let secrets = secrets
    let parsed = parsed
    return try Configuration.load(
      ConfigurationInputs(
        file: file.map {
          ConfigurationInputs.File(path: "test.json5", root: .object($0), isWorldReadable: isFileWorldReadable)
        }, environment: environment, flags: flags, parse: { parsed[$0] },
        readSecrets: { path in
          secrets[path].map { .success($0) } ?? .failure(SecretFile.Unreadable(reason: "No such file or directory"))
        }))
  }

  /// The faults as an operator reads them; none if the load succeeds.
  func faults() -> [String] {
    do {
      _ = try run()
      return []
    } catch {
      return error.faults.map(\.description)
    }
  }
}

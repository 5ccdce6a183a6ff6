extension ConfigurationReading {
  /// Reads the two files of secrets. Where a list and a file are given, the later layer wins; in one layer that is a fault.
  mutating func readSecretFiles() {
    if let lines = secrets(file: "signingKeysFile", path: configuration.signingKeysFile, list: "signingKeys") {
      configuration.signingKeys = lines.compactMap { line, text in
        let key = SigningKey.parse(text)
        if key == nil { reject("signingKeysFile", line: line, SigningKey.allowed) }
        return key
      }
      if lines.isEmpty { reject("signingKeysFile", line: nil, "a file with at least one key") }
    }
    if let lines = secrets(file: "controlTokensFile", path: configuration.controlTokensFile, list: "controlTokens") {
      configuration.controlTokens = lines.compactMap { line, text in
        guard ControlToken.isValid(text) else {
          reject("controlTokensFile", line: line, ControlToken.allowed)
          return nil
        }
        return text
      }
      if lines.isEmpty { reject("controlTokensFile", line: nil, "a file with at least one token") }
    }
    warnOfReadableSecrets()
  }

  private mutating func reject(_ key: String, line: Int?, _ allowed: String) {
    faultyKeys.insert(key)
    let path = given[key].map { $0.value.shortened() } ?? ""
    let place = line.map { ", line \($0)" } ?? ""
    fault(key, value: path + place, given[key]?.origin ?? .standard, "allowed: \(allowed)")
  }

  /// The secrets of a file that counts; nil where there is none, or the list in a later layer counts.
  private mutating func secrets(file: String, path: String?, list: String) -> [(line: Int, text: String)]? {
    guard let path, let (_, fileOrigin) = given[file] else { return nil }
    if let (value, listOrigin) = given[list], ![.null, .list([])].contains(value) {
      if listOrigin.layer == fileOrigin.layer {
        faultyKeys.insert(file)
        fault(file, value: path, fileOrigin, "give either \(list) or \(file), not both")
        return nil
      }
      if listOrigin.layer > fileOrigin.layer {
        switch file {
        case "signingKeysFile": configuration.signingKeysFile = nil
        default: configuration.controlTokensFile = nil
        }
        return nil
      }
    }
    switch inputs.readSecrets(path) {
    case .success(let content):
      if content.isWorldReadable {
        warnings.append("\(file): \(path) can be read by every user of this machine; chmod o-r it")
      }
      return content.secrets
    case .failure(let unreadable):
      faultyKeys.insert(file)
      fault(file, value: ConfigurationValue.text(path).shortened(), fileOrigin, "cannot be read: \(unreadable.reason)")
      return nil
    }
  }

  private mutating func warnOfReadableSecrets() {
    guard let file = inputs.file, file.isWorldReadable else { return }
    let secrets = ConfigurationKey.all.filter { key in
      guard key.confidentiality != .open, let (value, origin) = given[key.name], case .file = origin else {
        return false
      }
      return ![.null, .list([]), .object([:])].contains(value)
    }
    guard !secrets.isEmpty else { return }
    warnings.append(
      "\(file.path) holds \(secrets.map(\.name).joined(separator: ", ")) and can be read by every user of this "
        + "machine; chmod o-r it")
  }
}

extension ConfigurationOrigin {
  /// Later layers win.
  var layer: Int {
    switch self {
    case .standard: 0
    case .file: 1
    case .environment: 2
    case .flag: 3
    }
  }
}

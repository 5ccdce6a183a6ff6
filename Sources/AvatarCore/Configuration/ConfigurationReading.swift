/// The work of one load, step by step: gathers what each layer gives, then decodes, then checks.
struct ConfigurationReading {
  let inputs: ConfigurationInputs
  /// What the layers so far give, by key.
  var given: [String: (value: ConfigurationValue, origin: ConfigurationOrigin)] = [:]
  var configuration = Configuration()
  var faults: [ConfigurationFault] = []
  var warnings: [String] = []
  /// Keys with a fault of their own: checks across keys leave them out.
  var faultyKeys: Set<String> = []

  init(inputs: ConfigurationInputs) { self.inputs = inputs }

  mutating func fault(_ key: String, value: String?, _ origin: ConfigurationOrigin, _ reason: String) {
    faults.append(ConfigurationFault(key: key, value: value, origin: origin, reason: reason))
  }

  // MARK: Layers

  mutating func readFile() {
    guard let file = inputs.file else { return }
    guard case .object(let root) = file.root else {
      return fault("configuration", value: nil, .file(path: file.path, line: nil), "must be an object, { … }")
    }
    flatten(root, under: "", in: file)
  }

  /// Members of groups become dotted names; a dotted name as a member is taken as it is.
  private mutating func flatten(
    _ object: [String: ConfigurationValue], under prefix: String, in file: ConfigurationInputs.File
  ) {
    let members = object.map { (path: prefix + $0.key, value: $0.value) }
    for (path, value) in members.sorted(by: {
      (file.lines[$0.path] ?? 0, $0.path) < (file.lines[$1.path] ?? 0, $1.path)
    }) {
      let origin = ConfigurationOrigin.file(path: file.path, line: file.lines[path])
      let children = ConfigurationKey.all.map(\.name).filter { $0.hasPrefix(path + ".") }
      if let key = ConfigurationKey.byName[path] {
        if given[key.name] != nil { fault(path, value: nil, origin, "is given twice in this file") }
        given[key.name] = (value, origin)
      } else if !children.isEmpty, case .object(let group) = value {
        flatten(group, under: path + ".", in: file)
      } else if !children.isEmpty {
        let names = children.map { String($0.dropFirst(path.count + 1)) }.joined(separator: ", ")
        fault(path, value: value.shortened(), origin, "must be an object with any of \(names)")
      } else {
        // The value is not shown: a misspelled key may hold a secret.
        fault(
          path, value: nil, origin,
          "unknown key" + Spelling.hint(for: path, among: ConfigurationKey.byName.keys.sorted()))
      }
    }
  }

  mutating func readEnvironment() {
    let keys = Dictionary(
      ConfigurationKey.all.map { ($0.environmentName, $0) }, uniquingKeysWith: { first, _ in first })
    for (name, text) in inputs.environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix("AVATAR_") {
      if let key = keys[name] {
        give(key, text, .environment(name))
      } else if !Self.isKubernetesLink(name, text), name != "AVATAR_CONFIG" {
        fault(name, value: nil, .environment(name), "unknown key" + Spelling.hint(for: name, among: keys.keys.sorted()))
      }
    }
  }

  mutating func readFlags() {
    for (name, text) in inputs.flags {
      guard let key = ConfigurationKey.byName[name], let flag = key.flagName else {
        fault(name, value: nil, .flag(name), "has no flag")
        continue
      }
      give(key, text, .flag(flag))
    }
  }

  /// A text becomes a value by the key's shape. An empty text is an empty list, or nothing where there is no default.
  private mutating func give(_ key: ConfigurationKey, _ text: String, _ origin: ConfigurationOrigin) {
    let value: ConfigurationValue
    switch key.shape {
    case .scalar, .flag:
      value = text.isEmpty && key.whenAbsent != nil ? .null : .text(text)
    case .list:
      let items = text.split(separator: ",", omittingEmptySubsequences: false).map { item in
        String(item.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
      }
      value = .list(text.isEmpty ? [] : items.map { .text($0) })
    case .object:
      guard let parsed = inputs.parse(text) else {
        faultyKeys.insert(key.name)
        let shown = key.isSecret ? "(hidden)" : ConfigurationValue.text(text).shortened()
        return fault(key.name, value: shown, origin, "is not valid JSON5; allowed: \(key.allowed)")
      }
      value = parsed
    }
    given[key.name] = (value, origin)
  }

  /// Kubernetes sets such variables in every pod for a service that happens to be called `avatar` or `avatar-…`.
  private static func isKubernetesLink(_ name: String, _ text: String) -> Bool {
    let words = name.split(separator: "_")
    if let service = words.firstIndex(of: "SERVICE"), words.count > service + 1 {
      return words[service + 1] == "HOST" || words[service + 1] == "PORT"
    }
    guard let port = words.lastIndex(of: "PORT") else { return false }
    if port == words.count - 1, ["TCP", "UDP", "SCTP"].contains(words[words.count - 2]) { return true }
    let rest = words[(port + 1)...]
    let isURL = ["tcp://", "udp://", "sctp://"].contains { text.hasPrefix($0) }
    return rest.isEmpty ? isURL : rest.count <= 3 && rest.first.map { DecimalText.digits($0) != nil } == true
  }

  // MARK: Values

  mutating func decode() {
    for key in ConfigurationKey.all {
      guard let (value, origin) = given[key.name] else { continue }
      var rejections: [ConfigurationRejection] = []
      key.decode(value, &configuration, &rejections)
      if !rejections.isEmpty { faultyKeys.insert(key.name) }
      for rejection in rejections {
        let shown = key.confidentiality == .open ? rejection.value.shortened() : "(hidden)"
        fault(key.name + rejection.place, value: shown, origin, "allowed: \(rejection.allowed)")
      }
    }
  }
}

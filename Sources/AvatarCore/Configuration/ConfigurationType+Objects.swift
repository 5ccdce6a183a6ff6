extension ConfigurationType where Value == AddressBlock {
  /// A block of addresses.
  static let addressBlock = Self(
    allowed: "a block of addresses such as \"10.0.0.0/8\" or \"fd00::/8\"", placeholder: "CIDR",
    parse: { AddressBlock($0) }, format: \.text)
}

extension ConfigurationType where Value == String {
  /// A query parameter's name; `*` at its end stands for anything.
  static let parameterName = Self(
    allowed: "a query parameter's name, `*` at its end for anything", placeholder: "NAME",
    parse: { text in
      (1...256).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        && !text.dropLast().contains("*") ? text : nil
    }, format: { $0 })

  /// Names joined by dots, or `.` for the root.
  static let keyPath = Self(
    allowed: "a key path such as \"sender.name\", or \".\" for the root", placeholder: "PATH",
    parse: { text in
      let isPath = !text.split(separator: ".", omittingEmptySubsequences: false).contains(where: \.isEmpty)
      return text.utf8.count <= 256 && (text == "." || isPath) ? text : nil
    }, format: { $0 })
}

extension ConfigurationType where Value == IdentityRule {
  /// `{ hosts: […], drop: […] }`
  static let identity: Self = {
    let allowed = "an object such as { hosts: [\"*.example.com\"], drop: [\"X-Amz-*\"] }"
    return Self(
      allowed: allowed, placeholder: "JSON",
      read: { value, rejections in
        guard case .object(let object) = value, object.count == 2, let given = object["hosts"],
          let dropped = object["drop"]
        else {
          rejections.append(ConfigurationRejection(value: value, allowed: allowed))
          return nil
        }
        let hosts = ConfigurationType<HostPattern>.hostPattern.list(of: "hosts").read(given, at: ".hosts", &rejections)
        let drop = ConfigurationType<String>.parameterName.list(of: "names").read(dropped, at: ".drop", &rejections)
        guard let hosts, let drop else { return nil }
        return IdentityRule(hosts: hosts, drop: drop)
      },
      show: { rule in
        .object(["hosts": .list(rule.hosts.map { .text($0.text) }), "drop": .list(rule.drop.map { .text($0) })])
      })
  }()
}

extension ConfigurationType {
  /// An object of named members, each of this type.
  func members(
    allowed: String, name check: @escaping @Sendable (String) -> String?
  ) -> ConfigurationType<[String: Value]> {
    ConfigurationType<[String: Value]>(
      allowed: allowed, placeholder: "JSON", shape: .object,
      read: { value, rejections in
        guard case .object(let object) = value else {
          rejections.append(ConfigurationRejection(value: value, allowed: allowed))
          return nil
        }
        var result: [String: Value] = [:]
        for (name, member) in object.sorted(by: { $0.key < $1.key }) {
          let place = ".\(ConfigurationValue.name(name))"
          if let wanted = check(name) {
            rejections.append(ConfigurationRejection(place: place, value: .text(name), allowed: wanted))
            continue
          }
          result[name] = read(member, at: place, &rejections)
        }
        return result
      }, show: { .object($0.mapValues(show)) })
  }
}

extension ConfigurationType where Value == [String: [String]] {
  /// `payload.keys`: a field that is given replaces that field's paths, the others keep theirs.
  static let payloadKeys: Self = {
    let fields = Configuration.Payload.seeds.keys.sorted().joined(separator: ", ")
    let base = ConfigurationType<String>.keyPath.list(of: "key paths", atMost: 64)
      .members(
        allowed: "an object of fields and their ordered key paths, such as { senderName: [\"sender.name\"] }",
        name: { Configuration.Payload.seeds[$0] == nil ? "one of \(fields)" : nil })
    return Self(
      allowed: base.allowed, placeholder: base.placeholder, shape: base.shape,
      read: { value, rejections in
        base.read(value, &rejections).map { Configuration.Payload.seeds.merging($0) { _, given in given } }
      }, show: base.show)
  }()
}

extension ConfigurationType where Value == [String: Configuration.Payload.ChatType] {
  /// `payload.chatTypes`: replaces the defaults as a whole.
  static let chatTypes = ConfigurationType<Configuration.Payload.ChatType>.oneOf()
    .members(
      allowed: "an object of types and what each is, such as { single_chat: \"single\" }; each is "
        + ConfigurationType<Configuration.Payload.ChatType>.oneOf().allowed,
      name: { (1...128).contains($0.utf8.count) ? nil : "a type of 1 to 128 bytes" })
}

/// What the origin counts, and how each group behaves. Nothing that a control request does is counted.
struct OriginLedger {
  static let mostGroups = 10_000

  var requests = 0
  var connections = 0
  var notModified = 0
  /// Of bodies, as they went out.
  var bytes = 0
  private var groups: [[UInt8]: OriginGroup] = [:]

  /// The group of this name (`KIND/GROUP`), remembered from the first time on; nil where there is no room for one more.
  mutating func group(_ name: some Collection<UInt8>) -> OriginGroup? {
    let key = Array(name)
    if let group = groups[key] { return group }
    guard groups.count < Self.mostGroups else { return nil }
    let group = OriginGroup()
    groups[key] = group
    return group
  }

  /// How often a group was asked for.
  func requests(of name: some Sequence<UInt8>) -> Int { groups[Array(name)]?.requests ?? 0 }

  var json: [UInt8] {
    let counted = groups.filter { $0.value.requests > 0 }.map { (String(decoding: $0.key, as: UTF8.self), $0.value) }
    let members = counted.sorted { $0.0 < $1.0 }.map { "\"\(Self.escaped($0.0))\":\($0.1.requests)" }
    let text = """
      {"requests":\(requests),"connections":\(connections),"notModified":\(notModified),"bytes":\(bytes),\
      "groups":{\(members.joined(separator: ","))}}

      """
    return Array(text.utf8)
  }

  /// Names are of visible ASCII.
  private static func escaped(_ name: String) -> String {
    name.contains { $0 == "\"" || $0 == "\\" }
      ? name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") : name
  }
}

/// Pictures that are counted, changed and misbehave together.
final class OriginGroup {
  var requests = 0
  /// How often its pictures have changed.
  private(set) var turn = 0
  private(set) var lastModified = OriginDate.text(of: OriginDate.beginning)
  var behaviour = RequestOptions()

  /// From now on it has other pictures, an hour younger.
  func change() {
    turn += 1
    lastModified = OriginDate.text(of: modifiedSecond)
  }

  var modifiedSecond: Int { OriginDate.beginning + turn * 3600 }
}

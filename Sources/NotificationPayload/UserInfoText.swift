import Foundation

extension PushPayload {
  /// Reads what a notification carries on a device: `userInfo`, and the title and body that it shows, which are localized already.
  ///
  /// Values that JSON does not have (dates, data) count as missing, as does what lies deeper than 64 levels.
  public init(
    userInfo: [AnyHashable: Any], title: String? = nil, body: String? = nil, rules: PayloadRules = PayloadRules()
  ) {
    let shown = PayloadForm.Alert(title: title, body: body)
    self.init(Self.text(userInfo), rules: rules, shown: shown)
  }

  private static func text(_ userInfo: [AnyHashable: Any]) -> JSONText {
    let value = UserInfoValue.jsonValue(userInfo, depth: 64) ?? [String: Any]()
    let encoded = try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys])
    return encoded.flatMap { JSONText([UInt8]($0)) } ?? .emptyObject
  }
}

/// What of a property list JSON can say.
private enum UserInfoValue {
  static func jsonValue(_ value: Any, depth: Int) -> Any? {
    guard depth > 0 else { return nil }
    switch value {
    case let text as String: return text
    case let number as NSNumber: return number.doubleValue.isFinite ? number : nil
    case is NSNull: return value
    case let values as [Any]: return values.compactMap { jsonValue($0, depth: depth - 1) }
    case let members as [AnyHashable: Any]:
      var object: [String: Any] = [:]
      for (name, member) in members {
        if let name = name as? String, let member = jsonValue(member, depth: depth - 1) { object[name] = member }
      }
      return object
    default: return nil
    }
  }
}

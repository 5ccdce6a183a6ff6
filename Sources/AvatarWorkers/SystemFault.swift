import AvatarCore

/// A call that the kernel refused, by name and number.
struct SystemFault: Error, Hashable {
  let call: StaticString
  let number: Int32

  var description: String { "\(call) failed (errno \(number))" }
  var avatarError: AvatarError { AvatarError(.internalFault, description) }

  /// Passes a result of 0 or more on; throws for a negative error number.
  static func check(_ call: StaticString, _ result: Int32) throws(SystemFault) -> Int32 {
    if result < 0 { throw SystemFault(call: call, number: -result) }
    return result
  }

  /// Throws for a positive error number.
  static func require(_ call: StaticString, _ errorNumber: Int32) throws(SystemFault) {
    if errorNumber != 0 { throw SystemFault(call: call, number: errorNumber) }
  }

  static func == (left: Self, right: Self) -> Bool { left.description == right.description }
  func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

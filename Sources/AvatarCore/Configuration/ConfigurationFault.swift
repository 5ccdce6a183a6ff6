/// One reason why the service does not start: which key, what was given and where, what is allowed.
public struct ConfigurationFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The key, with the place inside its value where it is known: `fetch.allowAddresses[2]`.
  public let key: String
  /// The value as it may be shown; nil where there is none.
  public let value: String?
  /// Where it was given.
  public let origin: ConfigurationOrigin
  /// What is wrong or allowed, as the end of the sentence.
  public let reason: String

  /// Makes a fault.
  public init(key: String, value: String?, origin: ConfigurationOrigin, reason: String) {
    self.key = key
    self.value = value
    self.origin = origin
    self.reason = reason
  }

  /// One line without control characters: `fetch.maxBytes = "10MB" (AVATAR_FETCH_MAX_BYTES): allowed: a size from …`.
  public var description: String {
    let place = value == nil && origin == .standard ? "not given" : origin.description
    let line = key + (value.map { " = \($0)" } ?? "") + " (\(place)): \(reason)"
    return String(
      String.UnicodeScalarView(
        line.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
  }
}

/// Every fault that was found, in the order of discovery; never empty.
public struct ConfigurationFaults: Error, Sendable, CustomStringConvertible {
  /// The faults.
  public let faults: [ConfigurationFault]
  /// The exit status of a program that cannot start for them: EX_CONFIG of sysexits.h.
  public static let exitStatus: Int32 = 78

  /// Wraps faults.
  public init(_ faults: [ConfigurationFault]) { self.faults = faults }

  /// A line each.
  public var description: String { faults.map(\.description).joined(separator: "\n") }
}

internal import Glibc

/// The system refused what the origin cannot do without.
public struct OriginFault: Error, CustomStringConvertible {
  /// The call and the system's reason.
  public let description: String

  init(_ call: String, _ code: Int32) { description = "\(call): \(String(cString: strerror(code)))" }
}

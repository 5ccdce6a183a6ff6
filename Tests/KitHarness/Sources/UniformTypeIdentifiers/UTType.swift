/// A stand-in for Apple's type.
public struct UTType: Hashable, Sendable {
  /// As Apple's.
  public let identifier: String
  /// As Apple's.
  public static let jpeg = UTType(identifier: "public.jpeg")
}

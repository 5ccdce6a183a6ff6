/// What this product is called and which version of it runs.
public enum Product {
  /// The product's name.
  public static let name = "avatar-server"
  /// The version (semantic versioning); CHANGELOG.md says what it brought.
  public static let version = "0.1.0"
  /// `product/version`, as in `User-Agent`.
  public static let token = "\(name)/\(version)"
}

/// A result as one self-contained page.
public enum HTMLReport {
  /// The page.
  public static func text(_ result: BenchResult) -> String { "" }
}

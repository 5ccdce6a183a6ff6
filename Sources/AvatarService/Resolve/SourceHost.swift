import AvatarCore

/// The host of a canonical source URL as it is stored in an entry.
enum SourceHost {
  /// Nil where the text is not a canonical URL.
  static func of(_ canonical: String) -> Host? {
    // A canonical URL's host is ASCII already: no names to translate.
    (try? SourceURL(parsing: canonical, names: NoNames()))?.host
  }

  private struct NoNames: InternationalNames {
    func ascii(_ name: String) -> String? { nil }
  }
}

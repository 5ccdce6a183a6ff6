import AvatarCore

/// Why an avatar is fresh for as long as it is: one sentence for people, out of the same facts that the rules look at. Pure.
struct FreshnessReason {
  let metadata: OriginMetadata
  let cacheControl: CacheControl
  let policy: FreshnessPolicy
  let freshness: Freshness

  /// The sentence.
  var text: String {
    let lasts = Self.span(freshness.lifetime)
    let directives = metadata.directives
    if directives.contains(.noStore) || directives.contains(.isPrivate) {
      let word = directives.contains(.noStore) ? "no-store" : "private"
      return
        "The origin says \(word): kept in memory for \(lasts) (freshness.minimum) to spare it, never stored or served stale, and nobody else may keep it."
    }
    if directives.contains(.noCache) {
      return
        "The origin says no-cache: fresh for \(lasts) (freshness.minimum), then asked again each time; stale only if it fails, for at most an hour."
    }
    guard let said = metadata.explicitLifetime else {
      return
        "The origin says nothing of freshness: fresh for \(lasts), which is freshness.default\(clamp(policy.lifetime))."
    }
    let age = metadata.initialAge > 0 ? ", less the age of \(Self.span(.seconds(metadata.initialAge))) on arrival" : ""
    return
      "The origin says \(statement(said))\(age): fresh for \(lasts)\(clamp(.seconds(said - metadata.initialAge)))\(revalidation)."
  }

  private func statement(_ said: Int64) -> String {
    if cacheControl.sharedMaxAge != nil { return "s-maxage=\(said)" }
    if cacheControl.maxAge != nil { return "max-age=\(said)" }
    return said > 0
      ? "Expires, \(Self.span(.seconds(said))) after its Date" : "Expires, which is past or cannot be read"
  }

  private func clamp(_ wanted: Duration) -> String {
    if wanted < policy.minimum { return ", raised to freshness.minimum" }
    if wanted > policy.maximum { return ", lowered to freshness.maximum" }
    return ""
  }

  private var revalidation: String {
    metadata.directives.isDisjoint(with: [.mustRevalidate, .proxyRevalidate])
      ? "" : "; it must be asked again after that, stale only if it fails, for at most an hour"
  }

  /// A duration in its largest whole unit.
  static func span(_ duration: Duration) -> String {
    let seconds = duration.wholeSeconds
    for (unit, size) in [("d", 86_400), ("h", 3600), ("min", 60)] as [(String, Int64)]
    where seconds >= size && seconds % size == 0 {
      return "\(seconds / size) \(unit)"
    }
    return "\(seconds) s"
  }
}

import AvatarCore

/// An inspection as text: for the terminal, or as JSON.
public enum InspectionText {
  /// One JSON object and a line feed.
  public static func json(_ inspection: Inspection) -> String {
    String(decoding: JSONReply.make(inspection).body.bytes, as: UTF8.self)
  }

  /// Steps in order, then the conclusion.
  public static func text(_ inspection: Inspection) -> String {
    var lines = ["source    \(inspection.source)", "key       \(inspection.key)", "now       \(inspection.answerNow)"]
    if let rule = inspection.identityRule { lines.append("identity  rule for \(rule)") }
    for step in inspection.steps {
      let facts = step.facts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "  ")
      lines.append("\(padded(step.step)) \(step.atMilliseconds) ms  \(facts)")
    }
    if let bytes = inspection.sourceBytes {
      lines.append(
        "bytes     \(bytes), declared \(inspection.declaredType ?? "nothing"), found \(inspection.foundType ?? "nothing known")"
      )
    }
    if let header = inspection.header {
      lines.append(
        "picture   \(header.format) \(header.width) × \(header.height), orientation \(header.orientation), frames \(header.frames)"
      )
    }
    if let image = inspection.image {
      lines.append(
        "colour    profile \(image.usedProfile ? "used" : "none"), alpha \(image.hasAlpha ? "yes" : "no")")
      lines.append(
        "avatar    \(image.side) × \(image.side), \(image.bytes) bytes, quality \(image.quality), decoded in \(image.decodeMilliseconds) ms after \(image.queuedMilliseconds) ms of waiting"
      )
    }
    if let freshness = inspection.freshness, inspection.code == nil { lines.append("fresh     \(freshness.why)") }
    if let hash = inspection.sha256 { lines.append("sha256    \(hash)") }
    lines.append(inspection.summary)
    return lines.joined(separator: "\n") + "\n"
  }

  private static func padded(_ text: String) -> String {
    text + String(repeating: " ", count: max(0, 9 - text.utf8.count))
  }
}

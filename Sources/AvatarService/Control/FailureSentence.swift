import AvatarCore

/// What went wrong with one avatar, in one sentence that says where to look: out of the error and of how far the fetch had come. Pure.
struct FailureSentence {
  let error: AvatarError
  /// Where the source was to be found.
  let url: SourceURL
  /// The steps so far, what was found in the bytes, and what the header said.
  let report: Inspection

  /// The sentence.
  var text: String {
    let sentence = redirects > 0 ? "After \(count(redirects, "redirect")), \(lowered(cause))" : cause
    return sentence + "."
  }

  private var cause: String {
    switch error.code {
    case .hostNotAllowed: "The host \(host) is not one that fetch.allowHosts and fetch.denyHosts let through"
    case .addressNotAllowed:
      "Every address of \(host) is refused (\(error.detail)): only fetch.allowAddresses exempts private origins"
    case .originUnreachable: unreachable
    case .originTLSFailed:
      "The TLS connection to \(host) failed: its certificate is not trusted here, or the handshake did not succeed\(detail)"
    case .originTimedOut: timedOut
    case .originNotFound:
      "The origin answered \(status): it has no picture under this URL, and a stored copy is dropped"
    case .originStatus: refusal
    case .originThrottled: throttled
    case .originRedirect:
      "The origin's redirect cannot be followed: \(error.detail.isEmpty ? "\(status)" : error.detail)"
    case .originProtocol: "The origin's answer is malformed or was cut short\(detail)"
    case .invalidSourceURL: "The origin redirects to something that is no source URL\(detail)"
    case .sourceTooLarge: "The source has more bytes than fetch.maxBytes allows\(detail)"
    case .sourceEmpty: "The origin answered \(status) without a single byte of a picture"
    case .imageUnsupported: unsupported
    case .imageCorrupt: corrupt
    case .imageTooManyPixels: tooManyPixels
    case .overloaded: "The service is too busy to look: \(error.detail.isEmpty ? "a queue is full" : error.detail)"
    case .budgetExceeded: "No worker was free in time: the picture was fetched, but not decoded"
    default: "\(error.code.title)\(detail)"
    }
  }

  private var unreachable: String {
    if step("connect") != nil { return "The connection to \(host) broke before its answer was complete\(detail)" }
    if isLocated {
      return
        "No connection to \(place) could be made: nothing listens there, or the network is cut\(detail)"
    }
    return "The name \(host) does not resolve to any address\(detail)"
  }

  private var timedOut: String {
    let tenths = Int64((report.elapsedMilliseconds / 100).rounded())
    let after = "within \(tenths / 10)\(tenths % 10 == 0 ? "" : ".\(tenths % 10)") s"
    if step("hop") != nil { return "The origin sent its header, but not the whole picture \(after)" }
    if step("connect") != nil { return "The origin took the request on \(host) and sent no header \(after)" }
    if isLocated { return "No connection to \(place) came about \(after)" }
    return "The look-up of \(host) gave no answer \(after)"
  }

  private var refusal: String {
    switch error.originStatus {
    case 401, 403:
      return "The origin refuses this URL with \(status): it wants credentials, or the URL's own signature has expired"
    case let status? where status >= 500: return "The origin itself failed with \(status)"
    default: return "The origin answered \(status) rather than with a picture"
    }
  }

  private var throttled: String {
    let wait = error.retryAfter.map { "for \($0.wholeSeconds) s" } ?? "without saying for how long"
    return "The origin answered \(status) and wants to be left alone \(wait)"
  }

  private var sent: String {
    "\(report.sourceBytes.map { "The \($0) bytes" } ?? "What was") sent\(report.declaredType.map { " as \($0)" } ?? "")"
  }

  private var unsupported: String {
    guard let found = report.foundType else {
      return "The origin sends something that is no picture of a supported format\(detail)"
    }
    return report.header == nil && !Self.taken.contains(found)
      ? "\(sent) are \(found), not a picture of a supported format (JPEG, PNG, GIF, WebP, AVIF, HEIC, SVG)"
      : "\(sent) are \(found), but of a kind that is not decoded\(detail)"
  }
  private static let taken: Set<String> = ["JPEG", "PNG", "GIF", "WebP", "AVIF", "HEIC", "SVG"]

  private var corrupt: String {
    let size = report.header.map { " of \($0.width) × \($0.height)" } ?? ""
    return
      "\(sent) begin like \(report.foundType ?? "a picture")\(size), but the picture is damaged or ends too early\(detail)"
  }

  private var tooManyPixels: String {
    guard let header = report.header else { return "The picture has more pixels than is allowed\(detail)" }
    let key = header.isDecodedWhole ? "image.maxPixelsWhole" : "image.maxPixels"
    return
      "The picture is \(header.width) × \(header.height), which is more than \(key) allows for \(report.foundType ?? "its format")\(detail)"
  }

  // MARK: Parts

  private func step(_ kind: String) -> Inspection.Step? {
    // Of the last hop only: what came before a redirect went well.
    report.steps.reversed().prefix { !($0.step == "hop" && $0.facts["location"] != nil) }.first { $0.step == kind }
  }
  private var redirects: Int { report.steps.count { $0.step == "hop" && $0.facts["location"] != nil } }
  /// The host that was asked last.
  private var host: String {
    guard let last = report.steps.last(where: { $0.step == "hop" && $0.facts["location"] != nil }) else {
      return url.host.text
    }
    return last.facts["location"].flatMap(Self.host) ?? last.facts["url"].flatMap(Self.host) ?? url.host.text
  }
  /// Whether its addresses are known: by a look-up, or because it is one.
  private var isLocated: Bool {
    let name = host
    return name.hasPrefix("[") || IPAddress(name[...]) != nil
      || report.steps.contains { $0.step == "address" && $0.facts["name"] == name }
  }
  private var place: String { redirects == 0 ? "\(host) on port \(url.port)" : host }
  private var status: String { error.originStatus.map { "\($0)" } ?? "without a status" }
  private var detail: String { error.detail.isEmpty ? "" : " (\(error.detail))" }
  private func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
  private func lowered(_ text: String) -> String { text.prefix(1).lowercased() + text.dropFirst() }

  /// The host of an absolute URL without its port; nil where there is none.
  private static func host(_ text: String) -> String? {
    guard let slashes = text.firstRange(of: "//") else { return nil }
    let authority = text[slashes.upperBound...].prefix { $0 != "/" }
    let host = authority.hasPrefix("[") ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
    return host.isEmpty ? nil : host.lowercased()
  }
}

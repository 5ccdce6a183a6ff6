import AvatarCore

/// One side's rules for which requests reach its handler; pure, and stricter than the library's parser.
struct RequestRules: Sendable {
  /// What becomes of a request after its head has come.
  enum Verdict: Equatable, Sendable {
    /// Goes on to the handler once its body is here.
    case admit(HTTPRequest.Method)
    /// Answered and closed at once: what follows on the connection cannot be trusted, or is too much to read.
    case refuse(AvatarError)
    /// Answered and closed once its harmless body has been read: a close with unread bytes would reset the
    /// connection and could take the answer with it.
    case refuseAfterBody(AvatarError)
  }

  /// The methods that are let through.
  let methods: Set<HTTPRequest.Method>
  private let takesGet: Bool
  private let takesHead: Bool
  /// The longest body that is let through.
  let maximumBodyBytes: Int
  /// The longest target that is let through.
  let maximumTargetBytes: Int
  /// The longest body that is read only to be thrown away.
  private static let maximumDiscardedBytes: UInt64 = 2 * 1024 * 1024

  init(methods: Set<HTTPRequest.Method>, maximumBodyBytes: Int, maximumTargetBytes: Int) {
    self.methods = methods
    self.maximumBodyBytes = maximumBodyBytes
    self.maximumTargetBytes = maximumTargetBytes
    (takesGet, takesHead) = (methods.contains(.get), methods.contains(.head))
  }

  /// The method of a plain GET or HEAD for a target that was admitted before; nil where `verdict` has to look closer.
  func atOnce(_ framing: RequestFraming) -> HTTPRequest.Method? {
    guard framing.isExact, framing.hosts == 1, framing.hostIsValid, framing.contentLengths == 0,
      !framing.hasTransferEncoding
    else { return nil }
    switch framing.method {
    case .get: return takesGet ? .get : nil
    case .head: return takesHead ? .head : nil
    case .post, .other: return nil
    }
  }

  /// Judges a head; `target` is nil where it is not one that is served, `host` is the `Host` field's value.
  func verdict(
    on framing: RequestFraming, target: RequestTarget?, targetBytes: Int, host: @autoclosure () -> String?
  ) -> Verdict {
    if let fault = framingFault(of: framing) { return .refuse(AvatarError(.invalidRequest, fault)) }
    let bodyBytes = framing.contentLength ?? 0
    if targetBytes > maximumTargetBytes {
      return refusal(.uriTooLong, "the target has \(targetBytes) bytes", framing)
    }
    guard let method = method(of: framing), methods.contains(method) else {
      return refusal(.methodNotAllowed, "", framing)
    }
    guard let target else { return refusal(.invalidRequest, "the target is malformed", framing) }
    if let authority = target.authority, !Self.isSameAuthority(authority, host()) {
      return .refuse(AvatarError(.invalidRequest, "the target's authority is not the Host"))
    }
    if method != .post, bodyBytes > 0 {
      return .refuse(AvatarError(.invalidRequest, "a GET or HEAD has a body"))
    }
    if bodyBytes > UInt64(maximumBodyBytes) {
      return refusal(.bodyTooLarge, "the body has \(bodyBytes) bytes", framing)
    }
    return .admit(method)
  }

  /// The side's `Allow` field.
  var allow: String {
    let names: [(HTTPRequest.Method, String)] = [(.get, "GET"), (.head, "HEAD"), (.post, "POST")]
    return names.filter { methods.contains($0.0) }.map(\.1).joined(separator: ", ")
  }

  // MARK: - Parts

  private func framingFault(of framing: RequestFraming) -> String? {
    if !framing.isExact { return "the head is malformed" }
    if framing.hasTransferEncoding { return "a transfer coding is not taken" }
    if framing.contentLengths > 1 { return "there is more than one Content-Length" }
    if framing.contentLengths == 1, framing.contentLength == nil { return "the Content-Length is not a number" }
    if framing.hosts > 1 { return "there is more than one Host" }
    if framing.hosts == 0, !framing.isOldVersion { return "there is no Host" }
    if !framing.hostIsValid { return "the Host is malformed" }
    return nil
  }

  private func method(of framing: RequestFraming) -> HTTPRequest.Method? {
    switch framing.method {
    case .get: .get
    case .head: .head
    case .post: .post
    case .other: nil
    }
  }

  private func refusal(_ code: AvatarError.Code, _ detail: String, _ framing: RequestFraming) -> Verdict {
    let error = AvatarError(code, detail)
    let bodyBytes = framing.contentLength ?? 0
    guard bodyBytes > 0, bodyBytes <= Self.maximumDiscardedBytes, !framing.expectsContinue else {
      return .refuse(error)
    }
    return .refuseAfterBody(error)
  }

  private static func isSameAuthority(_ authority: String, _ host: String?) -> Bool {
    guard let host else { return false }
    return authority.utf8.map(asciiLowercased) == host.utf8.map(asciiLowercased)
  }
}

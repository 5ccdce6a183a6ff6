/// What the first look at a request's head found; filled in by the library's callbacks, judged by `RequestRules`.
struct RequestFraming: Sendable {
  /// How the method was spelled, as far as it matters.
  enum Method: Sendable { case get, head, post, other }

  /// The method.
  var method = Method.other
  /// From the method's first byte to the end of the empty line; 0 if unknown.
  var headBytes = 0
  /// HTTP/1.0, where `Host` may be missing.
  var isOldVersion = false
  /// Whether every byte of the head is accounted for by what the library shows: exactly one blank around the target,
  /// CRLF after every line, names that are tokens right up to their colon, no folded line, no NUL, no bare CR or LF.
  var isExact = true
  /// `Host` fields.
  var hosts = 0
  /// Whether each of them was made of the right bytes.
  var hostIsValid = true
  /// `Content-Length` fields.
  var contentLengths = 0
  /// The value of a single, well-formed `Content-Length`; nil otherwise.
  var contentLength: UInt64?
  /// Whether any `Transfer-Encoding` came.
  var hasTransferEncoding = false
  /// Whether a conditional field came that this server heeds.
  var isConditional = false
  /// Whether the client waits for a word before it sends the body.
  var expectsContinue = false
}

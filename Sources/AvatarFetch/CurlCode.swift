import AvatarCore

/// libcurl's results by number (curl.h, CURLcode); the message texts are for people and change.
enum CurlCode {
  static let success: UInt32 = 0
  static let couldNotConnect: UInt32 = 7
  static let writeError: UInt32 = 23
  static let timedOut: UInt32 = 28
  static let abortedByCallback: UInt32 = 42
  static let badContentEncoding: UInt32 = 61

  /// The contract's code for a failed transfer. Numbers that no HTTP GET of ours can end with are `internal`.
  static func meaning(of code: UInt32) -> AvatarError.Code {
    switch code {
    // The proxy's or the origin's name, the connection, an interface, sending, the proxy's handshake.
    case 5, 6, 7, 45, 55, 97: .originUnreachable
    // The handshake, the peer's certificate, ciphers, issuer, revocation list, pinning, OCSP, a certificate asked of us.
    case 35, 51, 53, 54, 59, 60, 64, 80, 82, 83, 90, 91, 98: .originTLSFailed
    case 28: .originTimedOut
    // HTTP/0.9, a weird reply, HTTP/2 framing, cut short, bytes past the end of a compressed body, ranges, nothing at all, receiving,
    // content decoding, chunks, an HTTP/2 stream, HTTP/3. And 'out of memory': that is what libcurl calls a header line that is longer
    // than its buffer of 100 KB; if memory is really short, the process ends elsewhere.
    case 1, 8, 16, 18, 22, 23, 27, 33, 52, 56, 61, 88, 92, 95, 96: .originProtocol
    case 63: .sourceTooLarge
    case 47: .originRedirect
    case 3: .invalidSourceURL
    case 89: .overloaded
    default: .internalFault
    }
  }
}

public import AvatarCore

/// How one side of the service listens and what it puts up with. Every limit is the contract's default.
public struct HTTPServerOptions: Sendable {
  /// The side's name in the log: `public` or `control`.
  public var side: String
  /// An address or a name that resolves to one; `::` takes IPv4 as well.
  public var host: String
  /// The TCP port; 0 takes a free one, see `HTTPServer.boundPort`.
  public var port: UInt16
  /// The methods that reach the handler; others get 405 with `Allow`.
  public var methods: Set<HTTPRequest.Method>
  /// The longest request target in bytes, 1…24 KiB; longer ones get 414.
  public var maximumTargetBytes: Int
  /// The longest request body in bytes; more gets 413. With 0, a GET or HEAD with a body is 400.
  public var maximumBodyBytes: Int
  /// Event loops, each with its own thread.
  public var threads: Int
  /// Connections over all threads; further ones are closed as soon as they are accepted.
  public var maxConnections: Int
  /// How long a connection may stay open between two requests, or stand still within one. Whole seconds, rounded up;
  /// without TLS up to a sixteenth longer, a second at least.
  public var idleTimeout: Duration
  /// How long a request may take to arrive: from the connection's start for the first, from its first byte for others.
  public var requestTimeout: Duration
  /// How long a client may take to read an answer.
  public var responseTimeout: Duration
  /// Serves HTTPS where given.
  public var tls: TLSIdentity?

  /// Makes options; the defaults are the public side's.
  public init(
    side: String = "public", host: String = "127.0.0.1", port: UInt16 = 0,
    methods: Set<HTTPRequest.Method> = [.get, .head], maximumTargetBytes: Int = 24 * 1024, maximumBodyBytes: Int = 0,
    threads: Int = 2, maxConnections: Int = 10_000, idleTimeout: Duration = .seconds(75),
    requestTimeout: Duration = .seconds(10), responseTimeout: Duration = .seconds(30), tls: TLSIdentity? = nil
  ) {
    self.side = side
    self.host = host
    self.port = port
    self.methods = methods
    self.maximumTargetBytes = maximumTargetBytes
    self.maximumBodyBytes = maximumBodyBytes
    self.threads = threads
    self.maxConnections = maxConnections
    self.idleTimeout = idleTimeout
    self.requestTimeout = requestTimeout
    self.responseTimeout = responseTimeout
    self.tls = tls
  }
}

/// A certificate with its key, both as PEM text; the certificate may be followed by its chain.
public struct TLSIdentity: Sendable {
  /// The certificate and its chain.
  public var certificatePEM: String
  /// The private key, unencrypted.
  public var keyPEM: String
  /// Makes an identity; nothing is checked before a server takes it.
  public init(certificatePEM: String, keyPEM: String) {
    self.certificatePEM = certificatePEM
    self.keyPEM = keyPEM
  }
}

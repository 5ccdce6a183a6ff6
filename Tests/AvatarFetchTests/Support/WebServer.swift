import AvatarCore
import Foundation
import Glibc

/// nginx with certificates made for the occasion: an origin with real TLS and HTTP/2, which raw sockets cannot speak.
final class WebServer: Sendable {
  /// A server of its own port.
  enum Site: String, CaseIterable {
    /// A right certificate, HTTP/2 offered.
    case good
    /// A right certificate, HTTP/1.1 only.
    case plain
    /// A certificate for another name.
    case otherName
    /// Past its end.
    case expired
    /// Signed by nobody we trust.
    case untrusted
    /// Speaks TLS 1.1 at most.
    case old
    /// Speaks no TLS.
    case clear
  }

  /// The authority that signed the good ones.
  let authority: String
  private let directory: URL
  private let process: Subprocess
  private let ports: [Site: UInt16]

  /// Starts it; `picture` is at `/picture`, a redirect to it at `/moved`.
  init() async throws {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent("avatar-web-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    authority = directory.appendingPathComponent("authority.pem").path
    try Self.makeCertificates(in: directory)
    var ports: [Site: UInt16] = [:]
    for site in Site.allCases { ports[site] = try RawOrigin(steps: [.close]).port }
    self.ports = ports
    try Data(picture).write(to: directory.appendingPathComponent("picture"))
    try Data(Self.configuration(ports).utf8).write(to: directory.appendingPathComponent("nginx.conf"))
    process = try Subprocess([
      "nginx", "-e", "stderr", "-p", directory.path, "-c", directory.appendingPathComponent("nginx.conf").path,
    ])
    let isUp = await eventually { Site.allCases.allSatisfy { Self.answers(ports[$0] ?? 0) } }
    guard isUp else { throw AvatarError(.internalFault, "nginx does not start (Debian: nginx-light)") }
  }

  /// Ends it. Not left to a deinit, which may come before the last request or after the process.
  func stop() {
    process.terminate()
    try? FileManager.default.removeItem(at: directory)
  }

  /// A URL at one of the sites, under the name `secure.test`.
  func url(_ site: Site, _ path: String = "/picture") -> String { "https://secure.test:\(ports[site] ?? 0)\(path)" }

  /// Puts the good certificate before a raw origin: what that sends goes out within TLS as it is. Ends with `terminate`.
  func wrap(_ origin: RawOrigin) async throws -> (url: String, process: Subprocess) {
    let port = try RawOrigin(steps: [.close]).port
    let listen = "OPENSSL-LISTEN:\(port),bind=127.0.0.2,cert=good.pem,key=good.key,verify=0,reuseaddr,fork"
    let process = try Subprocess(["socat", listen, "TCP:\(origin.host):\(origin.port)"], in: directory)
    guard await eventually({ Self.answers(port) }) else { throw AvatarError(.internalFault, "socat does not start") }
    return ("https://secure.test:\(port)", process)
  }

  private static func makeCertificates(in directory: URL) throws {
    func openssl(_ arguments: String...) throws { _ = try Subprocess.run(["openssl"] + arguments, in: directory) }
    for name in ["authority", "stranger"] {
      try openssl(
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
        "/CN=\(name)",
        "-keyout", "\(name).key", "-out", "\(name).pem")
    }
    for (name, host, signer, day) in [
      ("good", "secure.test", "authority", "2"), ("otherName", "else.test", "authority", "2"),
      ("expired", "secure.test", "authority", "-1"), ("untrusted", "secure.test", "stranger", "2"),
    ] {
      try openssl(
        "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(host)", "-addext",
        "subjectAltName=DNS:\(host)",
        "-keyout", "\(name).key", "-out", "\(name).csr")
      try openssl(
        "x509", "-req", "-in", "\(name).csr", "-CA", "\(signer).pem", "-CAkey", "\(signer).key", "-CAcreateserial",
        "-copy_extensions", "copy", "-days", day, "-out", "\(name).pem")
    }
  }

  private static func configuration(_ ports: [Site: UInt16]) -> String {
    let servers = Site.allCases.map { site in
      let certificate = [.plain, .old, .clear].contains(site) ? Site.good.rawValue : site.rawValue
      let old = site == .old ? "ssl_protocols TLSv1.1; ssl_ciphers ALL:@SECLEVEL=0;" : "ssl_protocols TLSv1.2 TLSv1.3;"
      return """
        server {
          listen 127.0.0.2:\(ports[site] ?? 0) \(site == .clear ? "" : site == .plain ? "ssl" : "ssl http2");
          ssl_certificate \(certificate).pem; ssl_certificate_key \(certificate).key; \(old)
          location /moved { return 302 /picture; }
        }
        """
    }
    return """
      daemon off; master_process off; pid nginx.pid; error_log stderr;
      events { worker_connections 256; }
      http { access_log off; root .; client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3;
      uwsgi_temp_path t4; scgi_temp_path t5; \(servers.joined(separator: "\n")) }
      """
  }

  private static func answers(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.2")
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}

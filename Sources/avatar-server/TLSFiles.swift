import AvatarCore
import AvatarHTTP
import Glibc

/// The public side's certificate and key.
enum TLSFiles {
  /// Both files' text; nil where none are configured. Throws `internal` with the file's name where one cannot be read.
  static func identity(_ tls: Configuration.TLS) throws(AvatarError) -> TLSIdentity? {
    guard let certificate = tls.certificateFile, let key = tls.keyFile else { return nil }
    return TLSIdentity(certificatePEM: try TextFile.read(certificate), keyPEM: try TextFile.read(key))
  }
}

/// A small file read whole.
enum TextFile {
  /// The text of a file of at most 1 MiB. Throws `internal` with its name.
  static func read(_ path: String) throws(AvatarError) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw AvatarError(.internalFault, "\(path) cannot be opened: errno \(errno)") }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16384)
    while bytes.count <= 1 << 20 {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw AvatarError(.internalFault, "\(path) cannot be read: errno \(errno)") }
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
    throw AvatarError(.internalFault, "\(path) is larger than 1 MiB")
  }
}

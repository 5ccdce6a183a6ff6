import AvatarCore
import AvatarCrypto
import AvatarNames
import AvatarService

/// Avatar URLs as the service hands them out, signed with the benchmark's key.
struct SignedPaths {
  /// The benchmark's signing key: 16 bytes.
  private static let key = [UInt8](0..<16)
  private let links = AvatarLinks(base: "", signer: URLSigner(keys: [key], hashing: OpenSSLHashing()))

  /// The same in hexadecimal, as a key file has it.
  static let hexKey = key.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()

  /// The settings of a server that takes them; the key's file is put into `directory`.
  static func settings(in directory: String) throws(AvatarError) -> [String: String] {
    guard Files.write(hexKey + "\n", to: "\(directory)/keys") else {
      throw AvatarError(.internalFault, "\(directory) takes no files")
    }
    return ["signing-keys-file": "\(directory)/keys"]
  }

  /// The path of the avatar of a chain of sources.
  func path(_ sources: String...) throws(AvatarError) -> String {
    var urls: [SourceURL] = []
    for source in sources { urls.append(try SourceURL(parsing: source, names: IDN2Names())) }
    return links.avatar(AvatarLocator(sources: urls, fit: .cover))
  }

  /// The cache key that the service has for a source with its default settings.
  static func cacheKey(_ source: String) throws(AvatarError) -> CacheKey {
    CacheKey(
      of: try SourceURL(parsing: source, names: IDN2Names()), identity: nil, recipe: Recipe(), hashing: OpenSSLHashing()
    )
  }
}

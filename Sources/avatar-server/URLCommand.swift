import AvatarCore
import AvatarCrypto
import AvatarNames
import AvatarService

/// `url`: prints the avatar URL of one avatar, signed where there are keys.
struct URLCommand {
  let sources: [String]
  let fit: Fit

  func run(_ configuration: Configuration) throws(AvatarError) -> Int32 {
    guard sources.count <= configuration.chain.maxSources else { throw AvatarError(.tooManySources) }
    var urls: [SourceURL] = []
    for source in sources { urls.append(try SourceURL(parsing: source, names: IDN2Names())) }
    let links = AvatarLinks(
      base: configuration.baseURL(boundPort: configuration.listen.port),
      signer: URLSigner(keys: configuration.signingKeys, hashing: OpenSSLHashing()))
    Console.write(links.avatar(AvatarLocator(sources: urls, fit: fit)) + "\n")
    return 0
  }
}

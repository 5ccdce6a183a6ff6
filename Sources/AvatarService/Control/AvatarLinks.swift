public import AvatarCore
import Synchronization

/// The URLs that the service hands out. (Contract, section 4.)
public final class AvatarLinks: Sendable {
  private let base: String
  private let signer: Mutex<URLSigner>

  /// `base` is `publicBaseURL` without a slash at its end.
  public init(base: String, signer: URLSigner) {
    self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
    self.signer = Mutex(signer)
  }

  /// Takes new keys in (SIGHUP).
  public func replaceSigner(_ new: URLSigner) { signer.withLock { $0 = new } }

  /// Whether what is handed out is signed, so that the identity rules apply when it is asked for.
  public var areSigned: Bool { signer.withLock { !$0.isEmpty } }

  /// A self-contained avatar URL; with `content` known it may be kept for good.
  public func avatar(_ locator: AvatarLocator, content: ContentHash? = nil) -> String {
    let segment = locator.segment
    let signature = signer.withLock { $0.isEmpty ? "unsigned" : $0.signature(of: segment) }
    let version = content.map { "?v=\($0.description.prefix(16))" } ?? ""
    return "\(base)/avatar/\(signature)/\(segment).jpg\(version)"
  }

  /// The URL of an object by its hash.
  public func object(_ hash: ContentHash) -> String { "\(base)/o/\(hash).jpg" }
}

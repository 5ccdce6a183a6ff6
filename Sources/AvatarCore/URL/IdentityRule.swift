/// Which query parameters do not belong to an avatar's identity, for some hosts: signatures, expiry times, overrides of
/// response fields.
public struct IdentityRule: Hashable, Sendable {
  /// Where the rule governs.
  public let hosts: [HostPattern]
  /// Parameter names as they stand in the query, byte for byte; a `*` at the end stands for any rest.
  public let drop: [String]

  /// An empty `drop` keeps every parameter: put before the defaults, it switches one of them off for its hosts.
  public init(hosts: [HostPattern], drop: [String]) {
    self.hosts = hosts
    self.drop = drop
  }

  /// Whether the rule governs the host.
  func governs(_ host: Host) -> Bool { hosts.contains { $0.matches(host) } }

  /// Whether the parameter is not a part of the identity.
  func drops(_ name: Substring) -> Bool {
    drop.contains { pattern in
      pattern.utf8.last == UInt8(ascii: "*")
        ? name.utf8.starts(with: pattern.utf8.dropLast()) : name.utf8.elementsEqual(pattern.utf8)
    }
  }
}

extension IdentityRules {
  /// S3 and what speaks its API, GCS, Azure, CloudFront and Facebook. Case counts in a query, so where a signer takes more
  /// than one spelling all are listed. What selects the picture stays: `versionId`, `generation`, `snapshot`, Firebase's
  /// `token` (a new upload has a new one), Facebook's `stp`, `asid`, `width` and `height`.
  public static let defaults: [IdentityRule] = [
    rule(
      [
        "*.amazonaws.com", "*.amazonaws.com.cn", "*.r2.cloudflarestorage.com", "*.digitaloceanspaces.com",
        "*.wasabisys.com", "*.backblazeb2.com",
      ],
      drop: ["X-Amz-*", "x-amz-*", "AWSAccessKeyId", "Signature", "Expires", "response-*", "x-id"]),
    rule(
      ["storage.googleapis.com", "*.storage.googleapis.com", "storage.cloud.google.com"],
      drop: ["X-Goog-*", "x-goog-*", "X-Amz-*", "x-amz-*", "GoogleAccessId", "Signature", "Expires", "response-*"]),
    // Service, account and user delegation SAS, and the response fields that one may override.
    rule(
      ["core.windows.net", "core.chinacloudapi.cn", "core.usgovcloudapi.net"].flatMap {
        ["*.blob.\($0)", "*.dfs.\($0)", "*.file.\($0)"]
      },
      drop: [
        "sv", "ss", "srt", "sr", "sp", "st", "se", "sip", "spr", "sig", "si", "sdd", "ses", "skoid", "sktid", "skt",
        "ske",
        "sks", "skv", "skdutid", "sduoid", "saoid", "suoid", "scid", "rscc", "rscd", "rsce", "rscl", "rsct",
      ]),
    rule(["*.cloudfront.net"], drop: ["Expires", "Policy", "Signature", "Key-Pair-Id", "Hash-Algorithm"]),
    // Signature (oh, hash, __gda__), expiry (oe, ext), and what tells where the picture was shown and which machine served it.
    rule(
      ["*.fbcdn.net", "*.fbsbx.com", "*.cdninstagram.com", "*.whatsapp.net"],
      drop: ["oh", "oe", "_nc_*", "ccb", "edm", "efg", "hash", "ext", "__gda__"]),
  ]

  private static func rule(_ hosts: [String], drop: [String]) -> IdentityRule {
    IdentityRule(
      hosts: hosts.map { text in
        guard let pattern = HostPattern(text) else { preconditionFailure("bad host pattern in the defaults: \(text)") }
        return pattern
      }, drop: drop)
  }
}

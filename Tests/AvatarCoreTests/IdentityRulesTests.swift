import AvatarCore
import Testing

@Suite("What identifies an avatar")
struct IdentityRulesTests {
  private let rules = IdentityRules(IdentityRules.defaults)

  @Test(arguments: [
    // S3: signature version 4 and 2, response overrides; a version is another picture.
    Pair(
      "https://b.s3.eu-west-1.amazonaws.com/u/1.jpg?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=A%2F20260101&X-Amz-Date=20260101T000000Z&X-Amz-Expires=900&X-Amz-SignedHeaders=host&X-Amz-Security-Token=t%2B&X-Amz-Signature=ab&x-id=GetObject",
      "https://b.s3.eu-west-1.amazonaws.com/u/1.jpg"),
    Pair(
      "https://s3.amazonaws.com/b/1.jpg?AWSAccessKeyId=K&Expires=1767225600&Signature=s%3D",
      "https://s3.amazonaws.com/b/1.jpg"),
    Pair(
      "https://b.s3.amazonaws.com/1.jpg?versionId=7&response-content-disposition=attachment&X-Amz-Signature=s",
      "https://b.s3.amazonaws.com/1.jpg?versionId=7"),
    Pair("https://b.s3.amazonaws.com/1.jpg?x-amz-signature=s&w=5", "https://b.s3.amazonaws.com/1.jpg?w=5"),
    Pair("https://acc.r2.cloudflarestorage.com/b/1?X-Amz-Date=d", "https://acc.r2.cloudflarestorage.com/b/1"),
    // GCS: version 4 and 2.
    Pair(
      "https://storage.googleapis.com/b/1.jpg?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Date=20260101T000000Z&X-Goog-Expires=900&X-Goog-Signature=ab&generation=3",
      "https://storage.googleapis.com/b/1.jpg?generation=3"),
    Pair(
      "https://b.storage.googleapis.com/1.jpg?GoogleAccessId=a%40b&Expires=1767225600&Signature=s",
      "https://b.storage.googleapis.com/1.jpg"),
    Pair(
      "https://firebasestorage.googleapis.com/v0/b/x/o/1?alt=media&token=u1",
      "https://firebasestorage.googleapis.com/v0/b/x/o/1?alt=media&token=u1"),
    // Azure: service, account and user delegation SAS; a snapshot is another picture.
    Pair(
      "https://a.blob.core.windows.net/c/1.jpg?snapshot=2026&sv=2022-11-02&ss=b&srt=o&sr=b&sp=r&st=2026-01-01&se=2026-01-02&sip=1.1.1.1&spr=https&skoid=1&sktid=2&skt=3&ske=4&sks=b&skv=5&rscd=x&sig=a%3D",
      "https://a.blob.core.windows.net/c/1.jpg?snapshot=2026"),
    // CloudFront: canned and custom policy; the origin's own parameters stay, in any other case too.
    Pair(
      "https://d1.cloudfront.net/1.jpg?size=large&Expires=1&Signature=s&Key-Pair-Id=K&policy=square&Hash-Algorithm=SHA256",
      "https://d1.cloudfront.net/1.jpg?size=large&policy=square"),
    Pair("https://d1.cloudfront.net/1.jpg?Policy=p&Signature=s&Key-Pair-Id=K", "https://d1.cloudfront.net/1.jpg"),
    // Facebook: the crop (stp) and the profile picture's size stay.
    Pair(
      "https://scontent.xx.fbcdn.net/v/t39/1_n.jpg?stp=dst-jpg_s200x200&_nc_cat=1&ccb=1-7&_nc_sid=72&_nc_ohc=x&_nc_ht=scontent.xx&edm=A&oh=00_A&oe=66AABBCC",
      "https://scontent.xx.fbcdn.net/v/t39/1_n.jpg?stp=dst-jpg_s200x200"),
    Pair(
      "https://platform-lookaside.fbsbx.com/platform/profilepic/?asid=1&height=200&width=200&ext=1767225600&hash=AeQ",
      "https://platform-lookaside.fbsbx.com/platform/profilepic/?asid=1&height=200&width=200"),
  ])
  func `the default rules drop what belongs to the signature and keep what selects the picture`(_ pair: Pair) throws {
    #expect(rules.identity(of: try SourceURL.sample(pair.input)) == pair.due)
  }

  @Test(arguments: [
    "https://cdn.example/1.jpg?X-Amz-Signature=s&oe=1&sig=2", "https://amazonaws.com.evil.example/1?X-Amz-Date=1",
    "https://b.s3.amazonaws.com/1.jpg", "https://b.s3.amazonaws.com/1.jpg?", "https://b.s3.amazonaws.com/1.jpg?a&&b=",
    "https://b.s3.amazonaws.com/1.jpg?MyX-Amz-Date=1&XX-Amz-", "https://b.s3.amazonaws.com/X-Amz-Date=1",
    "https://b.s3.amazonaws.com/1?Expires2=1&signature=2",
  ])
  func `without a rule, or without its parameters, the URL counts byte for byte`(_ text: String) throws {
    #expect(rules.identity(of: try SourceURL.sample(text)) == text)
  }

  @Test func `the remaining parameters keep their order and bytes`() throws {
    let mine = IdentityRules([rule("h.example", drop: ["t", "s*"])])
    for (given, due) in [
      ("?b=2&t=1&a=%2f&&s=&sig=x&ts=3&=&T=4", "?b=2&a=%2f&&ts=3&=&T=4"), ("?t", ""), ("?t=1&s", ""), ("?t=&", "?"),
      ("?x&t", "?x"),
    ] {
      #expect(
        mine.identity(of: try SourceURL.sample("http://h.example/p\(given)")) == "http://h.example/p\(due)", "\(given)")
    }
  }

  @Test func `the first rule that fits governs alone, so that an operator can switch a default off`() throws {
    let off = rule("b.s3.amazonaws.com", drop: [])
    let both = IdentityRules([off] + IdentityRules.defaults)
    let text = "https://b.s3.amazonaws.com/1?X-Amz-Date=1"
    #expect(both.identity(of: try SourceURL.sample(text)) == text)
    #expect(both.appliedRule(to: try SourceURL.sample(text)) == off)
    #expect(rules.appliedRule(to: try SourceURL.sample(text))?.drop.contains("X-Amz-*") == true)
    #expect(rules.appliedRule(to: try SourceURL.sample("https://h.example/")) == nil)
  }

  struct Expiry: Sendable, CustomStringConvertible {
    let url: String
    let due: Int64?
    init(_ url: String, _ due: Int64?) {
      self.url = url
      self.due = due
    }
    var description: String { url }
  }

  @Test(arguments: [
    Expiry("https://b.s3.amazonaws.com/1?X-Amz-Date=20260101T000000Z&X-Amz-Expires=900", 1_767_226_500),
    Expiry("https://b.s3.amazonaws.com/1?X-Amz-Expires=900", nil),
    Expiry("https://b.s3.amazonaws.com/1?X-Amz-Date=20261301T000000Z&X-Amz-Expires=900", nil),
    Expiry("https://b.s3.amazonaws.com/1?X-Amz-Date=20260101T000000Z&X-Amz-Expires=99999999999999999999", nil),
    Expiry("https://b.s3.amazonaws.com/1?Expires=1767225600&Signature=s", 1_767_225_600),
    Expiry("https://b.s3.amazonaws.com/1?Expires=-5", nil),
    Expiry("https://b.s3.amazonaws.com/1?Expires=", nil),
    Expiry(
      "https://b.s3.amazonaws.com/1?Expires=1700000000&X-Amz-Date=20260101T000000Z&X-Amz-Expires=9", 1_700_000_000),
    Expiry("https://storage.googleapis.com/b/1?X-Goog-Date=20240229T235959Z&X-Goog-Expires=1", 1_709_251_200),
    Expiry("https://a.blob.core.windows.net/1?se=2026-01-01T00%3A00%3A00Z", 1_767_225_600),
    Expiry("https://a.blob.core.windows.net/1?se=2026-01-01T00:00Z", 1_767_225_600),
    Expiry("https://a.blob.core.windows.net/1?se=2026-01-01T00:00:00.0000000Z", 1_767_225_600),
    Expiry("https://a.blob.core.windows.net/1?se=2026-01-01", 1_767_225_600),
    Expiry("https://a.blob.core.windows.net/1?se=tomorrow", nil),
    Expiry("https://a.blob.core.windows.net/1?se=2026-01-01T24:00:00Z", nil),
    Expiry("https://d1.cloudfront.net/1?Expires=1767225600&Signature=s", 1_767_225_600),
    Expiry(
      "https://d1.cloudfront.net/1?Policy="
        + cloudFront(#"{"Statement":[{"Resource":"*","Condition":{"DateLessThan":{"AWS:EpochTime": 1767225600}}}]}"#),
      1_767_225_600),
    Expiry(
      "https://d1.cloudfront.net/1?Policy="
        + cloudFront(
          #"{"Condition":{"DateGreaterThan":{"AWS:EpochTime":5},"DateLessThan":{"AWS:EpochTime":1767225600}}}"#),
      1_767_225_600),
    Expiry("https://d1.cloudfront.net/1?Policy=" + cloudFront("{}"), nil),
    Expiry("https://d1.cloudfront.net/1?Policy=" + cloudFront(#""DateLessThan""AWS:EpochTime""#), nil),
    Expiry("https://d1.cloudfront.net/1?Policy=!!", nil),
    Expiry("https://scontent.xx.fbcdn.net/1?oh=1&oe=6955B900", 1_767_225_600),
    Expiry("https://scontent.xx.fbcdn.net/1?oe=6955b900", 1_767_225_600),
    Expiry("https://scontent.xx.fbcdn.net/1?oe=xyz", nil),
    Expiry("https://scontent.xx.fbcdn.net/1?oe=FFFFFFFFFF", nil),
    Expiry("https://platform-lookaside.fbsbx.com/p?ext=1767225600&hash=h", 1_767_225_600),
    Expiry("https://h.example/1?Expires=1767225600&oe=6955B900&se=2026-01-01", nil),
    Expiry("https://a.blob.core.windows.net/1?Expires=1767225600", nil),
    Expiry("https://b.s3.amazonaws.com/1", nil),
  ])
  func `the expiry is read in the signer's own terms, on the signer's hosts`(_ expiry: Expiry) throws {
    #expect(rules.expiry(of: try SourceURL.sample(expiry.url))?.seconds == expiry.due)
  }

  private func rule(_ host: String, drop: [String]) -> IdentityRule {
    IdentityRule(hosts: [host].compactMap { HostPattern($0) }, drop: drop)
  }

  /// CloudFront's own base64: `-_~` for `+=/`, padded.
  private static func cloudFront(_ json: String) -> String {
    let encoded = Base64URL.encode(Array(json.utf8)).map { $0 == "_" ? "~" : $0 }
    return String(encoded) + String(repeating: "_", count: (4 - encoded.count % 4) % 4)
  }
}

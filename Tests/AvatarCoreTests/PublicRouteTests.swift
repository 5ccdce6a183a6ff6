import AvatarCore
import Testing

@Suite("Routes of the public side")
struct PublicRouteTests {
  struct Case: Sendable, CustomStringConvertible {
    let target: String
    let due: PublicRoute
    init(_ target: String, _ due: PublicRoute) {
      self.target = target
      self.due = due
    }
    var description: String { target }
  }

  private static let hash = String(repeating: "0123456789abcdef", count: 4)

  @Test(arguments: [
    Case("/avatar/c2ln/c2Vn.jpg", .avatar(signature: "c2ln", segment: "c2Vn", version: nil)),
    Case(
      "/avatar/c2ln/c2Vn.jpg?v=0123456789abcdef",
      .avatar(signature: "c2ln", segment: "c2Vn", version: "0123456789abcdef")),
    Case(
      "/avatar/s/g.jpg?x=1&v=0123456789abcdef&v=", .avatar(signature: "s", segment: "g", version: "0123456789abcdef")),
    Case("/avatar/s/g.jpg?v=0123456789ABCDEF", .avatar(signature: "s", segment: "g", version: nil)),
    Case("/avatar/s/g.jpg?v=0123456789abcde", .avatar(signature: "s", segment: "g", version: nil)),
    Case("/avatar/s/g.jpg?v=0123456789abcdef0", .avatar(signature: "s", segment: "g", version: nil)),
    Case("/avatar/s/g.jpg?v=0123456789abcdeg", .avatar(signature: "s", segment: "g", version: nil)),
    Case("/avatar/s/g.jpg?v=1&v=0123456789abcdef", .avatar(signature: "s", segment: "g", version: nil)),
    Case("/avatar/s/g.jpg?v", .avatar(signature: "s", segment: "g", version: nil)),
    Case("/avatar/s/g.jpg?", .avatar(signature: "s", segment: "g", version: nil)),
    Case("/avatar/s/a.jpg.jpg", .avatar(signature: "s", segment: "a.jpg", version: nil)),
    Case("/avatar/unsigned/c2Vn.jpg", .unsignedSegment(segment: "c2Vn", version: nil)),
    Case(
      "/avatar/unsigned/c2Vn.jpg?v=0123456789abcdef", .unsignedSegment(segment: "c2Vn", version: "0123456789abcdef")),
    Case("/avatar/unsigned/!!!.jpg", .unsignedSegment(segment: "!!!", version: nil)),
    Case("/avatar/Unsigned/c2Vn.jpg", .avatar(signature: "Unsigned", segment: "c2Vn", version: nil)),
    Case("/avatar?src=x&fit=contain", .unsignedQuery("src=x&fit=contain")),
    Case("/avatar?", .unsignedQuery("")),
    Case("/avatar", .unsignedQuery("")),
    Case("/healthz", .health),
    Case("/healthz?x", .health),
  ])
  func `targets that name something`(_ case: Case) {
    #expect(route(`case`.target) == `case`.due)
  }

  @Test func `an object is named by 64 digits in lower case`() throws {
    let digest = try #require(Digest256(hex: Self.hash))
    #expect(route("/o/\(Self.hash).jpg") == .object(ContentHash(digest)))
    #expect(route("/o/\(Self.hash).jpg?x") == .object(ContentHash(digest)))
  }

  @Test(arguments: [
    "", "/", "*", "/nothing/here", "/avatar/", "/avatar/s", "/avatar/s/", "/avatar//g.jpg", "/avatar/s/.jpg",
    "/avatar/s/g.png", "/avatar/s/g", "/avatar/s/g.JPG", "/avatar/s/g.jpg/", "/avatar/s/g/h.jpg", "/avatar/s//g.jpg",
    "//avatar/s/g.jpg", "/Avatar/s/g.jpg", "/avatars/s/g.jpg", "avatar/s/g.jpg", "/avatar/s/g.jpg ", "/o/", "/o/zz.jpg",
    "/o/\(hash)", "/o/\(hash).png", "/o/\(hash.uppercased()).jpg", "/o/\(hash)0.jpg", "/o/\(hash.dropLast()).jpg",
    "/o/x/\(hash).jpg", "/o/\(hash).jpg.jpg", "/healthz/", "/health", "/readyz", "/v1/stats", "/metrics",
    "/avatar%2Fs/g.jpg",
    "http://h/avatar/s/g.jpg", "/avatar/s/g.jpg\0",
  ])
  func `everything else is nothing`(_ target: String) {
    #expect(route(target) == .none)
  }

  private func route(_ target: String) -> PublicRoute {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    return PublicRoute(path: parts.first.map(String.init) ?? "", query: parts.count > 1 ? String(parts[1]) : nil)
  }
}

import AvatarCore
import AvatarCrypto
import Testing

@testable import AvatarService

/// Who may use the control side.
struct ControlGuardTests {
  private func request(_ fields: [String: String]) -> HTTPRequest {
    HTTPRequest(method: .get, path: "/v1/stats", query: nil) { fields["\($0)"] }
  }

  private func verdict(_ tokens: [String], _ fields: [String: String], needsToken: Bool = true) -> AvatarError.Code? {
    do throws(AvatarError) {
      try ControlGuard(tokens: tokens, hashing: OpenSSLHashing()).admit(request(fields), needsToken: needsToken)
      return nil
    } catch {
      return error.code
    }
  }

  @Test(
    arguments: [
      ("127.0.0.1:8081", nil), ("localhost:8081", nil), ("LOCALHOST", nil), ("[::1]:8081", nil), ("127.8.9.1", nil),
      ("evil.example:8081", .hostNotAllowed), ("127.0.0.1.evil.example", .hostNotAllowed), ("", .hostNotAllowed),
      ("localhost.evil.example", .hostNotAllowed), ("[::ffff:127.0.0.1]", .hostNotAllowed),
      ("10.0.0.1", .hostNotAllowed),
      ("127.1", .hostNotAllowed), ("2130706433", .hostNotAllowed), ("0.0.0.0", .hostNotAllowed),
      ("[::1", .hostNotAllowed),
      ("evil.example@127.0.0.1", .hostNotAllowed),
    ] as [(String, AvatarError.Code?)])
  func `without tokens only loopback names pass`(host: String, code: AvatarError.Code?) {
    #expect(verdict([], ["Host": host]) == code, "\(host)")
  }

  @Test(
    arguments: [
      (["Sec-Fetch-Site": "same-origin"], nil), (["Sec-Fetch-Site": "none"], nil),
      (["Sec-Fetch-Site": "cross-site"], .hostNotAllowed), (["Sec-Fetch-Site": "same-site"], .hostNotAllowed),
      (["Sec-Fetch-Site": "same-origin, none"], .hostNotAllowed), (["Origin": "http://127.0.0.1:8081"], nil),
      (["Origin": "https://127.0.0.1:8081"], nil), (["Origin": "null"], .hostNotAllowed),
      (["Origin": "http://127.0.0.1:9999"], .hostNotAllowed), (["Origin": "http://localhost:8081"], .hostNotAllowed),
      (["Origin": "http://evil.example", "Sec-Fetch-Site": "same-origin"], .hostNotAllowed),
    ] as [([String: String], AvatarError.Code?)])
  func `without tokens no page of another origin passes`(fields: [String: String], code: AvatarError.Code?) {
    #expect(verdict([], fields.merging(["Host": "127.0.0.1:8081"]) { own, _ in own }) == code, "\(fields)")
    #expect(verdict([], fields.merging(["Host": "127.0.0.1:8081"]) { own, _ in own }, needsToken: false) == code)
  }

  @Test(
    arguments: [
      ("Bearer first-token-of-two", nil), ("bearer second-token-of-two", nil), ("BEARER   first-token-of-two", nil),
      (nil, .unauthorized), ("", .unauthorized), ("Bearer", .unauthorized), ("Bearer first-token-of-tw", .unauthorized),
      ("Bearer first-token-of-two ", nil), ("Bearer first-token-of-two x", .unauthorized),
      ("Basic first-token-of-two", .unauthorized), ("first-token-of-two", .unauthorized),
      ("Bearer first-token-of-two, Bearer second-token-of-two", .unauthorized),
      ("Bearer " + String(repeating: "x", count: 9000), .unauthorized),
    ] as [(String?, AvatarError.Code?)])
  func `with tokens one of them passes from anywhere`(authorization: String?, code: AvatarError.Code?) {
    var fields = ["Host": "avatars.example"]
    fields["Authorization"] = authorization
    #expect(verdict(["first-token-of-two", "second-token-of-two"], fields) == code, "\(authorization ?? "none")")
    #expect(verdict(["first-token-of-two"], fields, needsToken: false) == nil)
  }
}

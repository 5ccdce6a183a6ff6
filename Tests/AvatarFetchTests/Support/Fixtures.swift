import AvatarCore
import AvatarNames
import Testing

@testable import AvatarFetch

/// A clock that stands still: Sun, 06 Nov 1994 08:49:37 GMT.
struct StoppedClock: WallClock {
  var now: UnixTime { UnixTime(seconds: 784_111_777) }
}

/// Names that a test knows; all others do not exist. `silent` ones never answer while the latch is shut.
struct TableLookup: NameLookup {
  var table: [String: [String]] = [:]
  var silent: @Sendable (String) -> Bool = { _ in false }
  var latch = Latch()

  func addresses(of name: String) -> LookupOutcome {
    if silent(name) { latch.wait() }
    guard let addresses = table[name] else { return .failed(-2) }
    return .found(addresses.compactMap { IPAddress($0) })
  }
}

/// The service's rules with the loopback addresses .2 and .3 let through.
func testOptions(_ change: (inout FetchOptions) -> Void = { _ in }) throws -> FetchOptions {
  var options = FetchOptions(userAgent: "avatar-server/test")
  let blocks = try ["127.0.0.2/32", "127.0.0.3/32"].map { try #require(AddressBlock($0)) }
  options.addresses = AddressPolicy(allowing: blocks)
  options.totalTimeout = .seconds(20)
  options.idleTimeout = .seconds(20)
  change(&options)
  return options
}

func makeFetcher(
  _ lookup: any NameLookup = TableLookup(), _ change: (inout FetchOptions) -> Void = { _ in }
) throws -> CurlFetcher {
  try CurlFetcher(options: testOptions(change), names: IDN2Names(), clock: StoppedClock(), lookup: lookup)
}

extension CurlFetcher {
  /// The answer, or the error that came in its place.
  func outcome(_ url: SourceURL, validators: Validators? = nil) async -> Result<OriginResponse, AvatarError> {
    do throws(AvatarError) {
      return .success(try await fetch(OriginRequest(url: url, validators: validators)))
    } catch {
      return .failure(error)
    }
  }

  /// The error's code; nil where there was an answer.
  func code(_ url: SourceURL) async -> AvatarError.Code? {
    if case .failure(let error) = await outcome(url) { error.code } else { nil }
  }
}

extension Result<OriginResponse, AvatarError> {
  var code: AvatarError.Code? { if case .failure(let error) = self { error.code } else { nil } }
  var error: AvatarError? { if case .failure(let error) = self { error } else { nil } }
}

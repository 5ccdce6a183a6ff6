import AvatarCore
import FoundationEssentials

/// A backend that prefetches and waits for what it gets.
struct Prefetch {
  private let client: PlainClient

  init(_ control: Endpoint) { client = PlainClient(control) }

  /// An avatar that is ready: the paths to put into the push.
  struct Ready {
    let avatarPath: String
    let objectPath: String
  }

  /// Prefetches avatars of one source each and waits up to three seconds; throws where one is not ready.
  func ready(_ sources: [String]) throws(AvatarError) -> [Ready] {
    let list = sources.map { "\"\($0)\"" }.joined(separator: ",")
    guard let answer = client.ask("POST", "/v1/prefetch", body: "{\"urls\":[\(list)],\"wait\":\"3s\"}"),
      let read = try? JSONDecoder().decode(Answer.self, from: Data(answer.body))
    else { throw AvatarError(.internalFault, "no answer to a prefetch") }
    var ready: [Ready] = []
    for avatar in read.avatars {
      guard avatar.status == "ready", let avatarPath = Self.path(avatar.avatarURL),
        let objectPath = Self.path(avatar.objectURL)
      else { throw AvatarError(.internalFault, "prefetch: \(avatar.status)") }
      ready.append(Ready(avatarPath: avatarPath, objectPath: objectPath))
    }
    return ready
  }

  private static func path(_ url: String?) -> String? {
    url?.split(separator: "/", maxSplits: 2).dropFirst(2).first.map { "/\($0)" }
  }

  private struct Answer: Decodable {
    var avatars: [Avatar]
    struct Avatar: Decodable {
      var status: String
      var avatarURL: String?
      var objectURL: String?
    }
  }
}

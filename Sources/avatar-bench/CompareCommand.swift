import AvatarBench
import AvatarCore

/// `compare`: what has changed between two results by more than their own spread.
struct CompareCommand {
  let old: String
  let new: String

  func run() -> Int32 {
    do throws(AvatarError) {
      Terminal.out(Comparison(old: try Self.read(old), new: try Self.read(new)).text)
      return 0
    } catch {
      Terminal.error("avatar-bench: \(error.detail)\n")
      return 2
    }
  }

  /// A result file; throws with what is wrong with it.
  static func read(_ path: String) throws(AvatarError) -> BenchResult {
    guard let bytes = Files.bytes(path) else { throw AvatarError(.invalidRequest, "\(path) cannot be read") }
    do throws(AvatarError) {
      return try BenchResult(json: bytes)
    } catch {
      throw AvatarError(.invalidRequest, "\(path) \(error.detail)")
    }
  }
}

/// The working tree of git that a program was built in.
enum WorkingTree {
  /// The short commit of the tree around `program`, with a `+` where tracked files differ from it; empty outside of a tree, without git, and where git
  /// takes longer than five seconds.
  static func commit(around program: String) -> String {
    let place = program.lastIndex(of: "/").map { String(program[...$0]) } ?? "."
    // Without tags, and without a write to the tree's index.
    let arguments = [
      "--no-optional-locks", "-C", place, "describe", "--always", "--abbrev=7", "--exclude=*", "--dirty=+",
    ]
    let git = try? ChildProcess("git", arguments, log: "/dev/null", reads: true)
    return git?.line(within: .seconds(5)) ?? ""
  }
}

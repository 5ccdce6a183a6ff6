import AvatarCore
import AvatarWorkers
import Glibc

/// Confines this very process and says on standard output how that went, one measure a line.
enum ConfinementSelfReport {
  static func write(memoryBytes: Int) {
    var confinement = Confinement(memoryBytes: memoryBytes)
    confinement.narrow()
    confinement.lock()
    let report = confinement.report
    for measure in ConfinementMeasure.allCases {
      line("\(measure.name) \(report.outcomes[measure].map(String.init) ?? "untried")")
    }
    line(report.holds ? "holds" : "does not hold")
    exit(report.holds ? 0 : 1)
  }

  static func line(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    _ = Glibc.write(1, bytes, bytes.count)
  }
}

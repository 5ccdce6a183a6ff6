/// One thing that a worker gives up before it sees its first picture; the raw value is its number on the wire.
public enum ConfinementMeasure: UInt8, CaseIterable, Sendable {
  /// No exec can gain a privilege.
  case noNewPrivileges = 1
  /// No core file, and no process of the same user may look into it.
  case notDumpable = 2
  /// Another user than root, where it was root.
  case ordinaryUser = 3
  /// Every capability given up.
  case noCapabilities = 4
  /// A network namespace with nothing in it.
  case ownNetwork = 5
  /// Landlock: nothing may be opened.
  case landlock = 6
  /// Address space limited.
  case memoryLimit = 7
  /// CPU time over its life, file size, open files and core size limited.
  case otherLimits = 8
  /// Runs after everything else that wants the CPU.
  case lowPriority = 9
  /// It dies with the server.
  case diesWithServer = 10
  /// The system-call filter.
  case callFilter = 11

  /// Whether a worker without it must not run where confinement is required. The others depend on the kernel's age, on the
  /// container and on who started the server; the filter stands without them.
  public var isRequired: Bool {
    switch self {
    case .noNewPrivileges, .notDumpable, .noCapabilities, .memoryLimit, .otherLimits, .diesWithServer, .callFilter: true
    case .ordinaryUser, .ownNetwork, .landlock, .lowPriority: false
    }
  }

  /// For logs and the readiness answer.
  public var name: String {
    switch self {
    case .noNewPrivileges: "no-new-privileges"
    case .notDumpable: "not-dumpable"
    case .ordinaryUser: "ordinary-user"
    case .noCapabilities: "no-capabilities"
    case .ownNetwork: "own-network"
    case .landlock: "landlock"
    case .memoryLimit: "memory-limit"
    case .otherLimits: "other-limits"
    case .lowPriority: "low-priority"
    case .diesWithServer: "dies-with-server"
    case .callFilter: "call-filter"
    }
  }
}

/// What came of a worker's confinement: for each measure nothing (it holds) or the kernel's reason why it does not.
public struct ConfinementReport: Hashable, Sendable {
  /// `errno` by measure; 0 where it holds. A measure that is absent was never tried, which counts as missing.
  public private(set) var outcomes: [ConfinementMeasure: Int32]

  /// An empty report, in which nothing holds yet.
  public init() { outcomes = [:] }

  /// Notes how a measure went; of several tries of one measure a failure stays.
  public mutating func note(_ measure: ConfinementMeasure, _ errorNumber: Int32) {
    if let earlier = outcomes[measure], earlier != 0 { return }
    outcomes[measure] = errorNumber
  }

  /// The measures that do not hold, in the order of their numbers.
  public var missing: [ConfinementMeasure] { ConfinementMeasure.allCases.filter { outcomes[$0] != 0 } }

  /// Whether everything that must hold does.
  public var holds: Bool { !missing.contains(where: \.isRequired) }

  /// What is missing with the kernel's error number, such as `own-network (errno 1)`; `never tried` where it was not.
  public var missingDescriptions: [String] {
    missing.map { measure in
      "\(measure.name) (\(outcomes[measure].map { "errno \($0)" } ?? "never tried"))"
    }
  }
}

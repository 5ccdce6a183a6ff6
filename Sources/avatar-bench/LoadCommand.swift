import AvatarBench
import AvatarCore

/// `load`: sends requests to any server and says what came of it.
struct LoadCommand {
  private let target: Endpoint
  private let base: String
  private let urls: String
  private let rate: Double?
  private let connections: Int
  private let seconds: Double
  private let threads: Int
  private let expected: Set<Int>
  private let json: String?
  private let order: LoadPlan.Order
  private let opensNewConnections: Bool
  private let fields: [String]

  init(_ arguments: [String]) throws(BenchUsage) {
    let read = try OptionReading(
      arguments,
      values: ["target", "urls", "rate", "connections", "seconds", "threads", "expect", "json", "shuffle", "header"],
      flags: ["new-connections"])
    guard read.operands.isEmpty else { throw BenchUsage(message: "load takes no operand: \(read.operands[0])") }
    guard let text = read["target"] else { throw BenchUsage(message: "load needs --target http://ADDRESS:PORT") }
    guard let urls = read["urls"] else { throw BenchUsage(message: "load needs --urls FILE (or - for standard input)") }
    (target, base) = try Self.target(text)
    self.urls = urls
    rate = read["rate"] == nil ? nil : try read.decimal("rate", 0.1...10_000_000, or: 1)
    connections = Int(try read.number("connections", 1...60_000, or: 32))
    seconds = try read.decimal("seconds", 0.1...86_400, or: 10)
    threads = Int(try read.number("threads", 1...64, or: 1))
    var statuses: Set<Int> = []
    for part in (read["expect"] ?? "200").split(separator: ",") {
      guard let status = Int(part), 100...599 ~= status else {
        throw BenchUsage(message: "--expect is a list of statuses such as 200,304")
      }
      statuses.insert(status)
    }
    expected = statuses
    json = read["json"]
    order = read["shuffle"] == nil ? .inTurn : .shuffled(seed: try read.number("shuffle", 0...UInt64.max, or: 1))
    opensNewConnections = read.has("new-connections")
    fields = read["header"].map { [$0] } ?? []
  }

  func run() -> Int32 {
    let text = urls == "-" ? Files.bytes("/dev/stdin") : Files.bytes(urls)
    guard let text else {
      Terminal.error("avatar-bench: \(urls) cannot be read\n")
      return 2
    }
    var targets: [String] = []
    for line in String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
      guard let path = path(String(line)) else {
        Terminal.error("avatar-bench: \(line) is neither a path nor a URL on \(base)\n")
        return 2
      }
      targets.append(path)
    }
    guard !targets.isEmpty else {
      Terminal.error("avatar-bench: \(urls) names no URL\n")
      return 2
    }
    var plan = LoadPlan(
      target: target, book: RequestBook(host: "\(target)", targets: targets, fields: fields),
      arrivals: rate.map { .open(perSecond: $0) } ?? .closed, connections: connections,
      duration: .milliseconds(Int64(seconds * 1000)), order: order, expected: expected)
    plan.threads = threads
    plan.opensNewConnections = opensNewConnections
    do {
      let report = LoadReport(plan: plan, outcome: try LoadRun.run(plan))
      Terminal.out(report.text)
      if let json, !Files.write(try report.json(), to: json) {
        Terminal.error("avatar-bench: \(json) cannot be written\n")
        return 3
      }
      return report.exitStatus
    } catch {
      Terminal.error("avatar-bench: \(error)\n")
      return 3
    }
  }

  /// The request target of a line: a path as it is, a URL on the target without its origin.
  private func path(_ line: String) -> String? {
    if line.hasPrefix("/") { return line.contains(" ") ? nil : line }
    guard line.hasPrefix(base) else { return nil }
    let rest = line.dropFirst(base.count)
    return rest.isEmpty ? "/" : rest.hasPrefix("/") && !rest.contains(" ") ? String(rest) : nil
  }

  private static func target(_ text: String) throws(BenchUsage) -> (Endpoint, String) {
    let fault = BenchUsage(
      message:
        "--target is http://ADDRESS:PORT with an IP address or localhost; names are not looked up, TLS is not spoken")
    guard text.hasPrefix("http://") else { throw fault }
    let base = text.hasSuffix("/") ? String(text.dropLast()) : text
    var authority = base.dropFirst("http://".count)
    guard !authority.contains("/") else { throw fault }
    var port: UInt16 = 80
    if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
      guard let number = UInt16(authority[authority.index(after: colon)...]) else { throw fault }
      port = number
      authority = authority[..<colon]
    }
    let host = authority.hasPrefix("[") && authority.hasSuffix("]") ? authority.dropFirst().dropLast() : authority
    guard let endpoint = Endpoint(host: String(host), port: port) else { throw fault }
    return (endpoint, base)
  }
}

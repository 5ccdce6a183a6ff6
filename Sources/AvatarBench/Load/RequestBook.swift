/// Requests ready to be sent: all their bytes in one block, so that sending one costs no more than a `send`.
public struct RequestBook: Sendable {
  /// Every request, one after the other.
  private(set) var bytes: [UInt8] = []
  /// Where each begins, and where the last ends.
  private(set) var offsets: [Int] = [0]

  /// An empty book.
  public init() {}

  /// GETs of `targets` (paths with their queries) from `host`, each with these header fields.
  public init(host: String, targets: some Sequence<String>, fields: [String] = []) {
    for target in targets { add(method: "GET", host: host, target: target, fields: fields) }
  }

  /// Requests in it.
  public var count: Int { offsets.count - 1 }

  /// Adds one request; `body` is sent with its length where it is given.
  public mutating func add(method: String, host: String, target: String, fields: [String] = [], body: String? = nil) {
    var text = "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n"
    for field in fields { text += "\(field)\r\n" }
    if let body { text += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n" }
    bytes += Array("\(text)\r\n\(body ?? "")".utf8)
    offsets.append(bytes.count)
  }
}

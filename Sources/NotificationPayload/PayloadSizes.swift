/// How large a payload is, and whether the services on its way take it.
public struct PayloadSizes: Hashable, Sendable {
  /// OneSignal's limit for the additional data.
  public static let maximumData = 2048
  /// Apple's limit for a payload.
  public static let maximumPayload = 4096
  /// Past this size of a payload there is a warning: the service in between adds fields of its own.
  public static let warnedPayload = 3500

  /// Bytes of the data: the object that holds the fields, or all fields beside `aps` and `os_data`. 0 for what is no object.
  public let data: Int
  /// Bytes of the payload without blanks between its values.
  public let payload: Int
  /// Bytes of what a phone gets at most: for a request to OneSignal without what names the receivers, and of its texts the longest
  /// language; else the same as `payload`.
  public let delivered: Int
  /// Whether OneSignal carries the data, so that its limit holds.
  public let goesThroughOneSignal: Bool

  /// Whether the limits are kept.
  public var fits: Bool {
    delivered <= Self.maximumPayload && (!goesThroughOneSignal || data <= Self.maximumData)
  }
  /// Whether it is close to the limit or over it.
  public var isNearLimit: Bool { delivered > Self.warnedPayload }

  init(_ tree: PayloadTree, form: PayloadForm, place: PayloadPlace?) {
    let text = tree.text
    payload = Self.compact(text.raw(PayloadTree.top.node))
    guard text.kind(PayloadTree.top.node) == .object else {
      data = 0
      delivered = payload
      goesThroughOneSignal = false
      return
    }
    let members = text.members(of: PayloadTree.top.node)
    if let place, !place.path.names.isEmpty {
      data = Self.compact(tree.raw(place.object))
    } else {
      data = Self.object(members.filter { !["aps", "os_data"].contains(text.name(of: $0)) }, text)
    }
    delivered = form == .oneSignalRequest ? min(payload, Self.delivered(members, text)) : payload
    let names = place?.path.names.first.map { [$0] } ?? members.map(text.name)
    goesThroughOneSignal =
      form == .oneSignalRequest || names.contains { ["custom", "os_data", "additionalData"].contains($0) }
  }

  /// Bytes of a JSON text without blanks between its values.
  static func compact(_ text: ArraySlice<UInt8>) -> Int {
    var count = 0
    var isInString = false
    var isEscaped = false
    for byte in text {
      if isInString || !JSONTextParser.isBlank(byte) { count += 1 }
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\"") {
        isInString.toggle()
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      }
    }
    return count
  }

  private static func object(_ members: [Int], _ text: JSONText) -> Int {
    2 + max(0, members.count - 1) + members.reduce(0) { $0 + compact(text.bytes[text.memberSpan($1)]) }
  }

  private static func delivered(_ members: [Int], _ text: JSONText) -> Int {
    let carried = members.filter { member in
      let name = text.name(of: member)
      return !name.hasPrefix("include") && !name.hasPrefix("exclude") && !["app_id", "filters"].contains(name)
    }
    let otherLanguages = carried.reduce(0) { sum, member in
      guard ["contents", "headings", "subtitle"].contains(text.name(of: member)) else { return sum }
      let sizes = text.members(of: member).map { compact(text.bytes[text.memberSpan($0)]) }
      return sum + sizes.reduce(0, +) - (sizes.max() ?? 0) + max(0, sizes.count - 1)
    }
    return object(carried, text) - otherLanguages
  }
}

@testable import NotificationPayload

/// A made-up chat payload, written twice at once: as it comes, and as it must be rewritten. Blanks, order, escapes, other fields, and
/// JSON text in place of objects are drawn by the seed.
struct PayloadSample {
  /// A text and what must become of it.
  struct Text {
    var before: [UInt8] = []
    var after: [UInt8] = []

    mutating func append(_ both: String) {
      before += Array(both.utf8)
      after += Array(both.utf8)
    }
    mutating func append(_ other: Text) {
      before += other.before
      after += other.after
    }
  }
  /// Parts of a text; those that differ stay apart, so that each can be escaped on its own.
  private enum Part {
    case both(String)
    case changed(String, String)
  }

  private var random: SeededRandom
  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  static func replacement(_ role: AvatarCandidate.Role) -> String {
    "https://new.example/\(role.rawValue)/aGVsbG8.jpg?v=0123"
  }

  /// One payload.
  mutating func make() -> Text {
    let isGroup = flip(), kind = isGroup ? "group" : "single"
    var fields: [[Part]] = [
      [.both(name("type") + blank() + ":" + blank() + string("\(kind)_chat"))],
      member("sender", sender(), mayBeText: true),
    ]
    if isGroup { fields.append(member("group", group(), mayBeText: true)) }
    let data = object(fields + noise())
    let place = Int.random(in: 0..<5, using: &random)
    var top: [[Part]] = noise()
    switch place {
    case 0: top.append(member("custom", object([member("a", data)]), mayBeText: flip()))
    case 1: top.append(member("custom", object([member("a", data, mayBeText: false)] + noise()), mayBeText: false))
    case 2: top.append(member("additionalData", data))
    case 3: top.append(member("data", data))
    default: top.append(member("body", data))
    }
    let isRequest = place == 3 && flip()
    if isRequest { top.append([.both(#""contents":{"en":"text"}"#)]) } else { top.append(aps()) }
    top.shuffle(using: &random)
    if isRequest { top[top.count - 1].append(.changed("", #","mutable_content":true"#)) }
    return write(object(top, shuffled: false))
  }

  private mutating func aps() -> [Part] {
    let alert: [Part] = [.both(#""alert":{"title":"T","body":"B"}"#)]
    if flip() { return [.both(#""aps":{"#)] + alert + [.both(#","mutable-content":1}"#)] }
    if flip() {
      return [.both(#""aps":{"mutable-content" : "#), .changed("0", "1"), .both(",")] + alert + [.both("}")]
    }
    return [.both(#""aps":{"#)] + alert + [.changed("", #","mutable-content":1"#), .both(" }")]
  }

  private mutating func sender() -> [Part] {
    let url = "https://a.example/u/\(Int.random(in: 0...9, using: &random))?é=\(Int.random(in: 0...99, using: &random))"
    var fields: [[Part]] = [[.both(name("name") + ":" + string("Zoé \"田\" \\ 😀"))]]
    if flip() {
      fields.append(picture("profile", url, .sender))
    } else {
      fields.append([.both(name("profile") + ":" + string("/relative.png"))])
    }
    fields.append(picture("image", url, .sender))
    if flip() { fields.append([.both(name("id") + ":" + number())]) }
    return object(fields + noise())
  }

  private mutating func group() -> [Part] {
    object([picture("image", "http://a.example/g/ü", .group), [.both(name("title") + ":" + string("G\n"))]] + noise())
  }

  private mutating func picture(_ field: String, _ url: String, _ role: AvatarCandidate.Role) -> [Part] {
    [.both(name(field) + blank() + ":" + blank()), .changed(string(url), "\"" + Self.replacement(role) + "\"")]
  }

  private mutating func member(_ field: String, _ value: [Part], mayBeText: Bool = false) -> [Part] {
    [.both(name(field) + blank() + ":" + blank())] + (mayBeText && flip() && !isInText(value) ? quoted(value) : value)
  }

  /// Only one level of text is opened: what holds a text already is not made one.
  private func isInText(_ value: [Part]) -> Bool {
    value.contains { part in
      if case .both(let text) = part { return text == "\"" }
      return false
    }
  }

  private mutating func quoted(_ value: [Part]) -> [Part] {
    var parts: [Part] = [.both("\"")]
    for part in value {
      switch part {
      case .both(let text): parts.append(.both(escaped(text)))
      case .changed(let before, let after): parts.append(.changed(escaped(before), JSONString.escaped(after.utf8).text))
      }
    }
    return parts + [.both("\"")]
  }

  private mutating func object(_ fields: [[Part]], shuffled: Bool = true) -> [Part] {
    var parts: [Part] = [.both("{" + blank())]
    for (index, field) in (shuffled ? fields.shuffled(using: &random) : fields).enumerated() {
      if index > 0 { parts.append(.both((shuffled ? blank() : "") + "," + blank())) }
      parts += field
    }
    return parts + [.both(blank() + "}")]
  }

  private mutating func noise() -> [[Part]] {
    (0..<Int.random(in: 0...3, using: &random)).map { index in
      let values = [
        number(), string("x\u{1}y"), "[ 1,[ ],{\"sender\":null}]", "{\"profile\" :\"https://c.example/\"}", "null",
        "false",
      ]
      return [.both(name("other\(index)") + ":" + (values.randomElement(using: &random) ?? "0"))]
    }
  }

  private mutating func number() -> String {
    ["0", "-1.50e+3", "12345678901234567890", "7", "1E-2"].randomElement(using: &random) ?? "0"
  }
  private mutating func name(_ text: String) -> String { string(text) }
  private mutating func string(_ text: String) -> String { "\"" + escaped(text) + "\"" }

  /// A text between quotes, some of its characters escaped without need.
  private mutating func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      let isSpecial = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
      guard isSpecial || Int.random(in: 0..<12, using: &random) == 0 else {
        escaped.unicodeScalars.append(scalar)
        continue
      }
      if scalar == "/" || scalar == "\"" || scalar == "\\", flip() {
        escaped += "\\\(scalar)"
      } else {
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16, uppercase: flip())
          escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      }
    }
    return escaped
  }

  private mutating func blank() -> String {
    ["", "", "", " ", "\n  ", "\t", "\r\n"].randomElement(using: &random) ?? ""
  }
  private mutating func flip() -> Bool { Bool.random(using: &random) }

  private func write(_ parts: [Part]) -> Text {
    var text = Text()
    for part in parts {
      switch part {
      case .both(let both): text.append(both)
      case .changed(let before, let after): text.append(Text(before: Array(before.utf8), after: Array(after.utf8)))
      }
    }
    return text
  }
}

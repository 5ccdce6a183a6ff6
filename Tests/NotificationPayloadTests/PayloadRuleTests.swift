import Testing

@testable import NotificationPayload

/// The rules one by one, at their edges.
struct PayloadRuleTests {
  private func decision(_ fields: String, aps: String = #"{"alert":{"title":"T","body":"B"}}"#) throws
    -> PayloadDecision
  {
    let text = #"{"aps":\#(aps),"custom":{"a":{\#(fields)}}}"#
    return try #require(PushPayload(text), "\(text)").decision
  }

  @Test(arguments: [
    ("single_chat", PayloadDecision.Kind.single, false), ("single_chat_reaction", .single, true),
    ("GROUP_CHAT", .group, false), (" group_chat_reaction\\n", .group, true), ("event_chat", .event, false),
    ("event_chat_reaction", .event, true), ("single_chat_", .other, false), ("single chat", .other, false),
    ("reaction", .other, false), ("group_chat_reaction_reaction", .other, false),
  ])
  func `a type is an exact name but for blanks and case`(type: String, kind: PayloadDecision.Kind, isReaction: Bool)
    throws
  {
    let decision = try decision(#""type":"\#(type)""#)
    #expect(decision.kind == kind)
    #expect(decision.isReaction == isReaction)
    #expect(decision.reason == (kind == .other ? .type : nil))
  }

  @Test(
    arguments: [
      (#""x""#, "x"), (#"" x\t""#, "x"), ("7", "7"), ("-7", "-7"), ("0", "0"), ("-0", "0"),
      ("12345678901234567890123", "12345678901234567890123"),
      ("1.0", "1"), ("1e3", "1000"), ("1.5", nil), ("1e-1", nil), ("1e400", nil), ("1e300", nil), ("true", nil),
      ("false", nil),
      ("null", nil), (#""""#, nil), (#"" \n\u00a0\u2003""#, nil), ("[1]", nil), (#"{"a":1}"#, nil),
    ] as [(String, String?)])
  func `a text is a string that isn't blank or a whole number`(value: String, text: String?) throws {
    #expect(try decision(#""type":"single_chat","id":\#(value)"#).conversationID == text)
    #expect(try decision(#""type":"single_chat","id":\#(value),"chat_id":"next""#).conversationID == text ?? "next")
  }

  @Test(arguments: [
    (#"{"os_data":{"custom":{"a":{"type":"single_chat","id":"os"}}},"additionalData":{"type":"x"}"#, "os"),
    (#"{"additionalData":{"type":"single_chat","id":"ad"},"data":{"type":"x"}"#, "ad"),
    (#"{"data":{"type":"single_chat","id":"da"},"body":{"type":"x"}"#, "da"),
    (#"{"body":{"type":"single_chat","id":"bo"},"type":"x""#, "bo"),
    (#"{"custom":{"a":{"id":"no"}},"type":"single_chat","id":"root""#, "root"),
    (#"{"custom":{"a":{"type":7.5}},"data":{"type":"single_chat","id":"da"}"#, "da"),
    (#"{"custom":{"a":"{broken"},"data":"{\"type\":\"single_chat\",\"id\":\"da\"}""#, "da"),
    (#"{"custom":"{\"a\":{\"type\":\"single_chat\",\"id\":\"one\"}}""#, "one"),
    (#"{"custom":{"a":"{\"type\":\"single_chat\",\"id\":\"one\"}"}"#, "one"),
  ])
  func `the first place with a type decides`(start: String, id: String) throws {
    let payload = try #require(PushPayload(start + #","aps":{"alert":{"title":"T"}}}"#), "\(start)")
    #expect(payload.decision.kind == .single)
    #expect(payload.decision.conversationID == id)
  }

  @Test func `places are never mixed`() throws {
    let text =
      #"{"aps":{"alert":{"title":"T"}},"custom":{"a":{"type":"single_chat"}},"id":"root","sender":{"id":"u","name":"Jo"}}"#
    let decision = try #require(PushPayload(text)).decision
    #expect(decision.conversationID == nil && decision.senderID == nil && decision.senderName == "T")
  }

  @Test(arguments: [
    #""custom":"{\"a\":\"{\\\"type\\\":\\\"single_chat\\\"}\"}""#,
    #""custom":{"a":"\"{\\\"type\\\":\\\"single_chat\\\"}\""}"#,
    #""custom":{"a":"{\"type\":\"single_chat\""}"#, #""custom":{"a":"[{\"type\":\"single_chat\"}]"}"#,
    #""custom":{"a":""}"#,
  ])
  func `JSON text is opened one level, and broken text is missing`(custom: String) throws {
    let decision = try #require(PushPayload(#"{"aps":{"alert":{"title":"T"}},\#(custom)}"#), "\(custom)").decision
    #expect(decision.kind == .other)
    #expect(decision.reason == .noType)
  }

  @Test(arguments: [
    (#""type":"group_chat","id":"m","group_id":"g""#, "g"),
    (#""type":"group_chat","group":{"id":"in"},"group_id":"g""#, "in"),
    (#""type":"event_chat","id":"m","event_id":5"#, "5"), (#""type":"event_chat","event":"{\"id\":6}""#, "6"),
    (#""type":"group_chat","id":"m""#, "thread"), (#""type":"event_chat","group_id":"g""#, "thread"),
    (#""type":"single_chat""#, "thread"), (#""type":"single_chat","chat_id":"c""#, "c"),
  ])
  func `a conversation has the id of its kind, else the thread's`(fields: String, id: String) throws {
    let aps = #"{"alert":{"title":"T"},"thread-id":"thread"}"#
    #expect(try decision(fields, aps: aps).conversationID == id)
  }

  @Test(
    arguments: [
      (#"{"alert":"just text"}"#, nil, "just text"), (#"{"alert":"{\"title\":\"x\"}"}"#, nil, #"{"title":"x"}"#),
      (#"{"alert":{"title":"T","body":" "}}"#, "T", nil), (#"{"alert":null}"#, nil, nil),
      (#""{\"alert\":{\"title\":\"T\"}}""#, "T", nil),
    ] as [(String, String?, String?)])
  func `an alert is an object, or its body`(aps: String, title: String?, body: String?) throws {
    let decision = try decision(#""type":"single_chat","sender":{"id":1}"#, aps: aps)
    #expect(decision.senderName == title)
    #expect(decision.kind == (title == nil ? .other : .single))
    #expect(decision.reason == (title == nil ? .noName : nil))
    if title != nil { #expect(decision.message == body) }
  }

  @Test(
    arguments: [
      ("Zoé 田中 👨‍👩‍👧‍👦", "Zoé 田中 👨‍👩‍👧‍👦"), ("a\u{0}b\u{7F}c\u{85}d", "abc d"), ("a\r\n b", "a b"), ("a \n\tb", "a b"),
      ("a\n\nb\n", "a b"),
      ("\u{202A}\u{202B}\u{202C}\u{202D}\u{202E}\u{2066}\u{2067}\u{2068}\u{2069}x", "x"), ("\u{202E}\n\u{0}", nil),
      (String(repeating: "é", count: 121), String(repeating: "é", count: 120)),
      (String(repeating: "x", count: 119) + " yz", String(repeating: "x", count: 119)), ("a  b", "a  b"),
      ("שלום\u{200F}", "שלום\u{200F}"),
    ] as [(String, String?)])
  func `a name holds nothing that deceives`(name: String, shown: String?) { #expect(PayloadText.name(name) == shown) }

  @Test(
    arguments: [
      ("https://a.example", "https://a.example"), ("HTTP://a.example/x", "HTTP://a.example/x"),
      ("https://a.example:8443/x?y=z#f", "https://a.example:8443/x?y=z#f"), ("https://[::1]:1/x", "https://[::1]:1/x"),
      ("https://a.example/é ü?q=\"<>", "https://a.example/%C3%A9%20%C3%BC?q=%22%3C%3E"),
      ("https://bücher.example/x", "https://bücher.example/x"),
      ("https://a.example/%20%2f", "https://a.example/%20%2f"), ("https://a.example/100%", "https://a.example/100%25"),
      ("https://a.example/%zz%4", "https://a.example/%25zz%254"),
      ("https://a.example/\\x[1]", "https://a.example/%5Cx%5B1%5D"),
      ("https://a.example?x=1", "https://a.example?x=1"), ("https://a.example/x@y", "https://a.example/x@y"),
      ("ftp://a.example/x", nil), ("//a.example/x", nil), ("/x", nil), ("a.example/x", nil), ("https:///x", nil),
      ("https://", nil), ("https:a.example", nil),
      ("https://:80/x", nil), ("https://u@a.example/x", nil), ("https://u:p@a.example/x", nil),
      ("https://a.example\\@b.example/", nil),
      ("https://a b/x", nil), ("https://a.example:x/", nil), ("https://a.example:70000/", nil),
      ("https://a.example:0/", nil), ("https://[::1/x", nil),
      ("https://[]/x", nil), ("https://%61.example/", nil), ("data:image/png;base64,AA", nil),
      ("javascript:alert(1)", nil), ("https://a.example/\u{1}", nil),
    ] as [(String, String?)])
  func `a usable picture is an http URL with a host and no credentials`(text: String, url: String?) {
    #expect(PictureURL.usable(text) == url)
  }

  @Test func `a picture's URL has at most 2,048 bytes, encoded`() {
    let start = "https://a.example/"
    let longest = start + String(repeating: "x", count: 2048 - start.utf8.count)
    #expect(PictureURL.usable(longest) == longest)
    #expect(PictureURL.usable(longest + "x") == nil)
    #expect(PictureURL.usable(longest.dropLast() + "é") == nil)
    #expect(PictureURL.usable(longest.dropLast(2) + " ") == nil)
  }

  @Test(
    arguments: [
      ("8841", "8841"), (" a.b_c~d-e ", "a.b_c~d-e"), (".", nil), ("..", nil), ("...", "..."), ("a/b", nil),
      ("a%2fb", nil), ("é", nil),
      (String(repeating: "x", count: 128), String(repeating: "x", count: 128)),
      (String(repeating: "x", count: 129), nil),
    ] as [(String, String?)])
  func `an item's id may stand in a path`(id: String, read: String?) throws {
    for text in [
      #"{"item_id":"\#(id)","tenant":"\#(id)"}"#, #"{"custom":{"a":{"item_id":"\#(id)","tenant":"\#(id)"}}}"#,
      #"{"aps":{"alert":{"title":"T"}},"type":"single_chat","item_id":"\#(id)","tenant":"\#(id)"}"#,
      #"{"type":"x","item_id":"\#(id)","tenant":"\#(id)"}"#,
    ] {
      let decision = try #require(PushPayload(text), "\(text)").decision
      #expect(decision.itemID == read, "\(text)")
      #expect(decision.tenant == read, "\(text)")
    }
  }

  @Test(arguments: [
    ("true", true), ("false", false), (#""true""#, true), (#""TRUE""#, true), ("1", true), ("0", false),
    (#""1""#, true), (#""no""#, false), ("[]", false),
  ])
  func `a forum's group has the sender's name`(flag: String, isGroup: Bool) throws {
    let text =
      #"{"aps":{"alert":{"title":"T","body":"B"}},"imageUrl":"https://f.example/l.png","senderName":"Makers","isGroup":\#(flag)}"#
    let decision = try #require(PushPayload(text)).decision
    #expect(decision.kind == .forum && decision.senderName == "Makers" && decision.message == "B")
    #expect(decision.groupName == (isGroup ? "Makers" : nil))
    #expect(decision.groupStyle == isGroup)
    #expect(decision.conversationID == "Makers")
    #expect(decision.avatars == [AvatarCandidate(role: isGroup ? .group : .sender, url: "https://f.example/l.png")])
  }

  @Test(arguments: [
    #""imageUrl":"https://shop.example/banner.png""#,
    #""type":"x","imageUrl":"https://f.example/l.png","senderName":"M","isGroup":true"#,
    #""data":{"type":"x"},"imageUrl":"https://f.example/l.png","senderName":"M","isGroup":true"#,
  ])
  func `a picture alone or a type beside it is no forum`(fields: String) throws {
    #expect(try #require(PushPayload(#"{"aps":{"alert":{"title":"T"}},\#(fields)}"#)).decision.kind == .other)
  }

  @Test func `other names are configured`() throws {
    let keys = PayloadKeys([
      .places: ["push.body"], .type: ["kind", "k"], .senderName: ["from"], .senderPicture: ["pic.url"],
      .singleID: ["c.c.c"],
    ])
    let rules = PayloadRules(keys: keys, chatTypes: ["DM": .single])
    let text =
      #"{"push":{"body":{"k":"dm","from":"Jo","pic":{"url":"https://a.example/1"},"c":{"c":{"c":9}},"sender_id":4}}}"#
    let decision = try #require(PushPayload(json: Array(text.utf8), rules: rules)).decision
    #expect(
      decision.kind == .single && decision.senderName == "Jo" && decision.conversationID == "9"
        && decision.senderID == "4")
    #expect(decision.avatars == [AvatarCandidate(role: .sender, url: "https://a.example/1")])
    #expect(PushPayload(#"{"aps":{"alert":{"title":"T"}},"type":"dm"}"#)?.decision.reason == .type)
  }

  @Test func `what a device shows comes before the payload's alert`() {
    let userInfo: [AnyHashable: Any] = [
      "aps": ["alert": ["title-loc-key": "K", "body": "raw"]],
      "custom": ["a": ["type": "single_chat", "id": 7, "sender_id": true]],
    ]
    let decision = PushPayload(userInfo: userInfo, title: "Shown", body: "Text").decision
    #expect(
      decision.senderName == "Shown" && decision.message == "Text" && decision.conversationID == "7"
        && decision.senderID == nil)
    #expect(PushPayload(userInfo: userInfo, title: " ").decision.reason == .noName)
  }

  @Test func `what JSON does not have is missing in a device's payload`() {
    final class Thing {}
    let userInfo: [AnyHashable: Any] = [
      3: "number as a name", "nan": Double.nan, "thing": Thing(), "list": [Thing(), 1], "type": "single_chat",
      "sender": ["name": "Jo", "x": Thing()],
    ]
    #expect(PushPayload(userInfo: userInfo).decision.senderName == "Jo")
  }
}

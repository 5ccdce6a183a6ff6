import Testing

@testable import NotificationPayload

/// Rewriting touches the avatar URLs and the flag, in whatever form the payload has.
struct PayloadRewritingTests {
  private func rewritten(_ text: String, _ change: (AvatarCandidate) -> PushPayload.PictureChange) throws -> String {
    try #require(PushPayload(text), "\(text)").rewritten(change).text
  }

  @Test(arguments: [
    (
      #"{ "aps" : {"mutable-content":1,"n":1.50e0}, "type":"single_chat","sender":{"name":"A","profile" : "http:\/\/a.example\/1" , "x":1} }"#,
      #"{ "aps" : {"mutable-content":1,"n":1.50e0}, "type":"single_chat","sender":{"name":"A","profile" : "NEW-sender" , "x":1} }"#
    ),
    (
      #"{"aps":{},"type":"single_chat","sender":"{\"name\":\"A\",\"profile\":\"http:\\/\\/a.example\"}"}"#,
      #"{"aps":{"mutable-content":1},"type":"single_chat","sender":"{\"name\":\"A\",\"profile\":\"NEW-sender\"}"}"#
    ),
    (
      #"{"data":"\u007b\"type\":\"single_chat\",\u0022sender\u0022:{\"name\":\"\\u00e9\",\"profile\":\u0022http://a.example\u0022}}","app_id":""}"#,
      #"{"data":"\u007b\"type\":\"single_chat\",\u0022sender\u0022:{\"name\":\"\\u00e9\",\"profile\":\"NEW-sender\"}}","app_id":"","mutable_content":true}"#
    ),
    (
      #"{"aps":{},"type":"group_chat","group":{"name":"G","image":"http://a.example"},"sender":{"name":"A","profile":"http://a.example","image":"http://a.example"}}"#,
      #"{"aps":{"mutable-content":1},"type":"group_chat","group":{"name":"G","image":"NEW-group"},"sender":{"name":"A","profile":"NEW-sender","image":"NEW-sender"}}"#
    ),
    (
      #"{"aps":{},"type":"single_chat","sender":{"name":"A","profile":"http://a.example/1","image":"http://a.example/2"}}"#,
      #"{"aps":{"mutable-content":1},"type":"single_chat","sender":{"name":"A","profile":"NEW-sender","image":"http://a.example/2"}}"#
    ),
    (
      #"{"aps":{"mutable-content":1},"type":"single_chat","sender":{"name":"A","profile":"http://a.example/1","profile":"http://a.example/2"}}"#,
      #"{"aps":{"mutable-content":1},"type":"single_chat","sender":{"name":"A","profile":"http://a.example/1","profile":"NEW-sender"}}"#
    ),
  ])
  func `a URL is replaced where it stands`(text: String, expected: String) throws {
    #expect(try rewritten(text) { .replace("NEW-\($0.role.rawValue)") } == expected)
  }

  @Test(arguments: [
    (#"{"name":"A","profile":"http://a.example"}"#, #"{"name":"A"}"#),
    (#"{ "profile" : "http://a.example" , "name":"A" }"#, #"{ "name":"A" }"#),
    (#"{"name":"A" , "profile":"http://a.example" , "z":1}"#, #"{"name":"A" , "z":1}"#),
    (#"{"profile":"http://a.example","image":"http://a.example","name":"A"}"#, #"{"name":"A"}"#),
    (#"{"name":"A","profile":"http://a.example","image":"http://a.example"}"#, #"{"name":"A"}"#),
    (#"{"profile":"http://a.example","name":"A","image":"http://a.example"}"#, #"{"name":"A"}"#),
    (#"{ "profile":"http://a.example","image":"http://a.example" }"#, #"{  }"#),
    (#""{\"profile\":\"http://a.example\",\"name\":\"A\"}""#, #""{\"name\":\"A\"}""#),
    (#""{\"profile\":\"http://a.example\"}""#, #""{}""#),
  ])
  func `a URL that is taken out takes its name and comma along`(sender: String, expected: String) throws {
    let text = #"{"aps":{"alert":{"title":"T"},"mutable-content":1},"type":"single_chat","sender":\#(sender)}"#
    let changed = #"{"aps":{"alert":{"title":"T"},"mutable-content":1},"type":"single_chat","sender":\#(expected)}"#
    #expect(try rewritten(text) { _ in .remove } == changed)
  }

  static let chat = #""type":"single_chat","sender":{"name":"A"}"#

  @Test(
    arguments: [
      (#"{"aps":{"mutable-content":1},\#(chat)}"#, nil),
      (#"{"aps":{"mutable-content":0},\#(chat)}"#, #"{"aps":{"mutable-content":1},\#(chat)}"#),
      (#"{"aps":{"mutable-content":"1"},\#(chat)}"#, #"{"aps":{"mutable-content":1},\#(chat)}"#),
      (#"{"aps":{ },\#(chat)}"#, #"{"aps":{"mutable-content":1 },\#(chat)}"#),
      (#"{"aps":{"sound":"x" },\#(chat)}"#, #"{"aps":{"sound":"x","mutable-content":1 },\#(chat)}"#),
      (#"{"aps":"{\"sound\":\"x\"}",\#(chat)}"#, #"{"aps":"{\"sound\":\"x\",\"mutable-content\":1}",\#(chat)}"#),
      (#"{"app_id":"1","data":{\#(chat)} }"#, #"{"app_id":"1","data":{\#(chat)},"mutable_content":true }"#),
      (
        #"{"app_id":"1","mutable_content":false,"data":{\#(chat)}}"#,
        #"{"app_id":"1","mutable_content":true,"data":{\#(chat)}}"#
      ),
      (#"{"contents":{},"mutable_content":true,"data":{\#(chat)}}"#, nil),
      (#"{"data":{\#(chat)}}"#, #"{"data":{\#(chat)},"mutable_content":true}"#),
      (
        #"{"to":"ExponentPushToken[x]","data":{\#(chat)}}"#,
        #"{"to":"ExponentPushToken[x]","data":{\#(chat)},"mutableContent":true}"#
      ),
      (#"{"aps":{"mutable-content":1},"body":{\#(chat)},"experienceId":"e"}"#, nil),
      (
        #"{"imageUrl":1,"senderName":"A","isGroup":false}"#,
        #"{"imageUrl":1,"senderName":"A","isGroup":false,"mutableContent":true}"#
      ),
      (#"{\#(chat)}"#, nil), (#"{"aps":{"alert":{"title":"T"}},"type":"other"}"#, nil),
      (#"{"app_id":"1","data":{"type":"x"}}"#, nil), ("[1]", nil), (" 3 ", nil),
    ] as [(String, String?)])
  func `the flag is set in the form's own spelling`(text: String, expected: String?) throws {
    let changed = try rewritten(text) { _ in .keep }
    #expect(changed == expected ?? text)
    #expect(try rewritten(changed) { _ in .keep } == changed)
  }

  @Test func `a forum's picture at the end leaves room for the flag`() throws {
    let text = #"{"title":"T","senderName":"A","imageUrl":"https://f.example/l"}"#
    #expect(try rewritten(text) { _ in .remove } == #"{"title":"T","senderName":"A","mutableContent":true}"#)
    #expect(
      try rewritten(text) { _ in .replace("u") }
        == #"{"title":"T","senderName":"A","imageUrl":"u","mutableContent":true}"#)
  }

  @Test func `notifee's options are rewritten inside their text`() throws {
    let text =
      #"{"aps":{"mutable-content":1},"notifee_options":"{\"ios\":{\"communicationInfo\":{\"groupName\":\"G\",\"groupAvatar\":\"https://a.example/g\",\"sender\":{\"displayName\":\"A\",\"avatar\":\"https://a.example/s\"}}}}"}"#
    let expected = text.replacing("https://a.example/g", with: "NEW-group").replacing(
      "https://a.example/s", with: "NEW-sender")
    #expect(try rewritten(text) { .replace("NEW-\($0.role.rawValue)") } == expected)
  }

  @Test func `a URL that JSON must escape is escaped, twice inside a text`() throws {
    let text =
      #"{"aps":{"mutable-content":1},"type":"single_chat","sender":"{\"name\":\"A\",\"profile\":\"http://a.example\"}"}"#
    let changed = try rewritten(text) { _ in .replace("https://b.example/\"\\") }
    #expect(changed.contains(#"\"https://b.example/\\\"\\\\\""#))
    #expect(try #require(PushPayload(changed)).decision.avatars.map(\.url) == ["https://b.example/%22%5C"])
  }
}

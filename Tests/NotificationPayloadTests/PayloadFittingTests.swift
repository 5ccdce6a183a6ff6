import Testing

@testable import NotificationPayload

/// What happens to a payload that is too large for OneSignal or Apple.
struct PayloadFittingTests {
  static let long = "https://s.example/" + String(repeating: "l", count: 900)
  static let short = "https://s.example/o"

  private func group(padding: Int, places: (String, String) = (#""custom":{"a":{"#, "}}")) -> String {
    let pad = String(repeating: "x", count: padding)
    return
      #"{"aps":{"alert":{"title":"T","body":"B"},"mutable-content":1},\#(places.0)"type":"group_chat","pad":"\#(pad)","group":{"name":"G","image":"https://a.example/g"},"sender":{"name":"A","profile":"https://a.example/s"}\#(places.1)}"#
  }

  private func fitted(_ text: String, prefersObjects: Bool = false, objects: Bool = true) throws -> (
    urls: [String], fits: Bool
  ) {
    let payload = try #require(PushPayload(text), "\(text)")
    let fitted = payload.fitted(prefersObjects: prefersObjects) { picture in
      PushPayload.Offer(
        avatarURL: Self.long + picture.role.rawValue, objectURL: objects ? Self.short + picture.role.rawValue : nil)
    }
    let again = try #require(PushPayload(json: fitted.json))
    #expect(again.sizes == fitted.sizes)
    return (again.decision.avatars.map(\.url), fitted.sizes.fits)
  }

  @Test(arguments: [
    (0, true, [long + "group", long + "sender"], true), (400, true, [short + "group", short + "sender"], true),
    (1930, true, [short + "group"], true), (1960, true, [], true), (2040, true, [], false),
    (400, false, [long + "group"], true), (1200, false, [], true),
  ])
  func `OneSignal's data: object URLs, then the sender's goes, then the group's`(
    padding: Int, objects: Bool, urls: [String], fits: Bool
  ) throws {
    let (found, isFitting) = try fitted(group(padding: padding), objects: objects)
    #expect(found == urls)
    #expect(isFitting == fits)
  }

  @Test func `the limit of the data is OneSignal's alone`() throws {
    let root = group(padding: 2000, places: ("", ""))
    #expect(try fitted(root).urls == [Self.long + "group", Self.long + "sender"])
    #expect(try fitted(group(padding: 2200, places: ("", ""))).urls == [Self.short + "group", Self.short + "sender"])
    #expect(try !fitted(group(padding: 4096, places: ("", ""))).fits)
  }

  @Test func `objects come first where they are preferred, and where only they are short enough`() throws {
    #expect(try fitted(group(padding: 0), prefersObjects: true).urls == [Self.short + "group", Self.short + "sender"])
    let payload = try #require(PushPayload(group(padding: 0, places: ("", ""))))
    let tooLong = "https://s.example/" + String(repeating: "l", count: 1983)
    #expect(tooLong.utf8.count == 2001)
    let object = payload.fitted { _ in PushPayload.Offer(avatarURL: tooLong, objectURL: Self.short) }
    #expect(PushPayload(json: object.json)?.decision.avatars.map(\.url) == [Self.short])
    let nothing = payload.fitted { _ in PushPayload.Offer(avatarURL: tooLong) }
    #expect(PushPayload(json: nothing.json)?.decision.avatars == [])
    let longest = payload.fitted {
      $0.role == .group ? PushPayload.Offer(avatarURL: String(tooLong.dropLast())) : PushPayload.Offer()
    }
    #expect(PushPayload(json: longest.json)?.decision.avatars.map(\.url) == [String(tooLong.dropLast())])
  }

  @Test(arguments: [(2048, true), (2049, false)])
  func `data fits to 2,048 bytes`(bytes: Int, fits: Bool) throws {
    let empty = try #require(PushPayload(#"{"app_id":"","data":{"type":"x", "p":""}}"#)).sizes
    let pad = String(repeating: "x", count: bytes - empty.data)
    let sizes = try #require(PushPayload(#"{"app_id":"","data":{"type":"x", "p":"\#(pad)"}}"#)).sizes
    #expect(sizes.data == bytes)
    #expect(sizes.fits == fits)
  }

  @Test(arguments: [(3500, true, false), (3501, true, true), (4096, true, true), (4097, false, true)])
  func `a payload fits to 4,096 bytes and is warned of over 3,500`(bytes: Int, fits: Bool, warned: Bool) throws {
    let pad = String(repeating: "x", count: bytes - 8)
    let sizes = try #require(PushPayload(#"{"p": "\#(pad)" }"#)).sizes
    #expect(sizes.payload == bytes)
    #expect(sizes.fits == fits)
    #expect(sizes.isNearLimit == warned)
  }

  @Test func `who a request goes to and other languages take no room on a phone`() throws {
    let ids = (0..<300).map { #""user-\#($0)-0123456789""# }.joined(separator: ",")
    let text = String(repeating: "t", count: 1500)
    let request =
      #"{"app_id":"1","include_aliases":{"external_id":[\#(ids)]},"contents":{"en":"\#(text)","de":"\#(text)","fr":"x"},"data":{"type":"single_chat","sender":{"name":"A","profile":"https://a.example/1"}}}"#
    let sizes = try #require(PushPayload(request)).sizes
    #expect(sizes.payload == request.utf8.count)
    #expect(sizes.payload > 8000 && sizes.delivered < 2000 && sizes.fits)
    #expect(sizes.delivered > 1500)
  }

  @Test func `what is no chat keeps its bytes however large it is`() throws {
    let text = #"{"custom" : {"a":{"type":"sale","p":"\#(String(repeating: "x", count: 5000))"}}}"#
    let fitted = try #require(PushPayload(text)).fitted { _ in PushPayload.Offer() }
    #expect(fitted.json.text == text && !fitted.sizes.fits)
  }
}

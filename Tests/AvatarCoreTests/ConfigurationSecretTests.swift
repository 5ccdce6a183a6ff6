import Testing

@testable import AvatarCore

struct ConfigurationSecretTests {
  static let first = String(repeating: "0f", count: 16)
  static let second = String(repeating: "E1", count: 20)

  @Test func `keys are one a line, comments and blanks are left out`() throws {
    let text = "# keys\r\n\n  \(Self.first) # newest\r\n\t\(Self.second)\n#\(Self.first)\n"
    let load = ConfigurationLoad(
      environment: ["AVATAR_SIGNING_KEYS_FILE": "/keys"],
      secrets: ["/keys": SecretFile(text: text, isWorldReadable: false)])
    let loaded = try load.run()
    #expect(
      loaded.configuration.signingKeys == [[UInt8](repeating: 0x0F, count: 16), [UInt8](repeating: 0xE1, count: 20)])
    #expect(loaded.warnings.isEmpty)
  }

  @Test func `tokens are one a line`() throws {
    let load = ConfigurationLoad(
      flags: [("controlTokensFile", "/t")],
      secrets: ["/t": SecretFile(text: "token-one=\ntoken~two", isWorldReadable: false)])
    #expect(try load.run().configuration.controlTokens == ["token-one=", "token~two"])
  }

  @Test(arguments: [
    ("", "a file with at least one key"), ("# none\n", "a file with at least one key"), ("abcd", ", line 1"),
    ("#\n\(first)\nnot hexadecimal", ", line 3"),
  ])
  func `a file without a good key stops the start, and its text is not shown`(text: String, reason: String) {
    let load = ConfigurationLoad(
      flags: [("signingKeysFile", "/keys")], secrets: ["/keys": SecretFile(text: text, isWorldReadable: false)])
    let faults = load.faults()
    #expect(faults.count == 1 && faults[0].contains(reason), "\(faults)")
    #expect(!faults.joined().contains("not hexadecimal") && !faults.joined().contains("abcd"))
  }

  @Test func `a missing file stops the start`() {
    let faults = ConfigurationLoad(file: ["controlTokensFile": "/nowhere"]).faults()
    #expect(faults == ["controlTokensFile = \"/nowhere\" (test.json5): cannot be read: No such file or directory"])
  }

  @Test func `of list and file the later layer wins, and both in one are a fault`() throws {
    let secrets = ["/keys": SecretFile(text: Self.first, isWorldReadable: false)]
    let list = ConfigurationValue.text(Self.second)
    let both = ConfigurationLoad(file: ["signingKeys": [list], "signingKeysFile": "/keys"], secrets: secrets)
    #expect(both.faults().count == 1)
    let fileLater = ConfigurationLoad(
      file: ["signingKeys": [list]], flags: [("signingKeysFile", "/keys")], secrets: secrets)
    #expect(try fileLater.run().configuration.signingKeys.map(\.count) == [16])
    let listLater = ConfigurationLoad(
      file: ["signingKeysFile": "/keys"], environment: ["AVATAR_SIGNING_KEYS": Self.second], secrets: secrets)
    #expect(try listLater.run().configuration.signingKeys.map(\.count) == [20])
    let emptyList = ConfigurationLoad(file: ["signingKeys": [], "signingKeysFile": "/keys"], secrets: secrets)
    #expect(try emptyList.run().configuration.signingKeys.map(\.count) == [16])
  }

  @Test func `secrets that every user can read are warned of`() throws {
    let load = ConfigurationLoad(
      flags: [("signingKeysFile", "/keys")], secrets: ["/keys": SecretFile(text: Self.first, isWorldReadable: true)])
    #expect(try load.run().warnings.contains { $0.contains("/keys can be read by every user") })
    var inFile = ConfigurationLoad(file: ["controlTokens": ["0123456789"]], isFileWorldReadable: true)
    #expect(try inFile.run().warnings.contains { $0.contains("test.json5 holds controlTokens") })
    inFile.file = ["controlTokens": [], "fetch": ["headers": [:]]]
    #expect(try inFile.run().warnings.allSatisfy { !$0.contains("test.json5") })
  }

  @Test func `no secret is ever shown`() throws {
    let canary = "CanaryCanaryCanary"
    let file: [String: ConfigurationValue] = [
      "signingKeys": [.text(Self.second)], "controlTokens": [.text(canary)],
      "fetch": [
        "headers": ["a.example": ["Authorization": .text("Bearer \(canary)")]],
        "proxy": .text("http://\(canary):\(canary)@proxy.example:3128"),
      ],
    ]
    let loaded = try ConfigurationLoad(file: file).run()
    let text = ConfigurationText.effective(loaded) + loaded.warnings.joined()
    #expect(!text.contains(canary) && !text.lowercased().contains(Self.second.lowercased()), "\(text)")
    #expect(text.contains("// signingKeys: (1 key)") && text.contains("// controlTokens: (1 token)"))
    #expect(text.contains("// headers: (1 host)") && text.contains("http://(hidden)@proxy.example:3128"))
  }

  @Test(
    arguments: [
      ["signingKeys": ["CanaryCanaryCanary"]], ["signingKeys": "CanaryCanaryCanary"],
      ["controlTokens": ["Canary Canary"]], ["controlTokens": ["Canary": "Canary"]],
      ["fetch": ["headers": "Canary"]], ["fetch": ["headers": ["a.example": "Canary"]]],
      ["fetch": ["headers": ["a.example": ["Authorization": "Canary\n"]]]], ["fetch": ["proxy": "Canary:Canary@proxy"]],
      // Misspelled keys may hold secrets as well.
      ["signingKey": "Canary"], ["fetch": ["header": ["a.example": ["Authorization": "Canary"]]]],
    ] as [[String: ConfigurationValue]])
  func `no secret is shown by a fault`(file: [String: ConfigurationValue]) {
    let faults = ConfigurationLoad(file: file).faults()
    #expect(faults.count == 1, "\(file): \(faults)")
    #expect(!faults.joined().contains("Canary"), "\(faults)")
    let variable = ConfigurationLoad(environment: ["AVATAR_FETCH_HEADERS": "Canary"]).faults()
    #expect(variable.count == 1 && !variable.joined().contains("Canary"), "\(variable)")
  }

  @Test func `a fault is one line whatever the value holds`() {
    let faults = ConfigurationLoad(flags: [
      ("cache.directory", "a\0\u{1B}[2J\n\u{202E}" + String(repeating: "x", count: 5000))
    ])
    .faults()
    #expect(faults.count == 1)
    for fault in faults {
      #expect(fault.count < 400)
      #expect(
        !fault.unicodeScalars.contains { [.control, .format].contains($0.properties.generalCategory) }, "\(fault)")
    }
  }
}

extension ConfigurationReading {
  /// What no key can say alone. A check is left out where a key that it needs has a fault of its own already.
  mutating func check() {
    checkListening()
    checkOrder()
    warnOfChoices()
  }

  private mutating func checkListening() {
    let listen = configuration.listen
    let control = configuration.controlListen
    if isSound("listen", "publicBaseURL"), listen.isWildcard, configuration.publicBaseURL == nil {
      refuse("publicBaseURL", "must be given where listen is a wildcard address (\(listen))")
    }
    if isSound("listen", "allowUnsigned", "signingKeys", "signingKeysFile"), !listen.isLoopback,
      configuration.signingKeys.isEmpty, configuration.allowUnsigned != true
    {
      refuse(
        "listen",
        "allowed without signingKeys: a loopback address, or allowUnsigned set to true if anybody who can "
          + "connect may have any picture fetched")
    }
    if isSound("controlListen", "controlTokens", "controlTokensFile"), !control.isLoopback,
      configuration.controlTokens.isEmpty
    {
      refuse("controlListen", "allowed without controlTokens: a loopback address")
    }
    if isSound("listen", "controlListen"), listen.port != 0, listen.port == control.port,
      listen.address == control.address || listen.isWildcard || control.isWildcard
    {
      refuse("controlListen", "must not be the same address and port as listen (\(listen))")
    }
    if isSound("tls.certificateFile", "tls.keyFile"),
      (configuration.tls.certificateFile == nil) != (configuration.tls.keyFile == nil)
    {
      let missing = configuration.tls.keyFile == nil ? "tls.keyFile" : "tls.certificateFile"
      refuse(missing, "must be given together with its counterpart: TLS needs tls.certificateFile and tls.keyFile")
    }
  }

  private mutating func checkOrder() {
    let image = configuration.image
    let freshness = configuration.freshness
    let breaker = configuration.breaker
    order("image.minimumQuality", "image.quality", image.minimumQuality <= image.quality)
    order("freshness.minimum", "freshness.default", freshness.minimum <= freshness.lifetime)
    order("freshness.default", "freshness.maximum", freshness.lifetime <= freshness.maximum)
    order("freshness.minimum", "freshness.maximum", freshness.minimum <= freshness.maximum)
    order("breaker.coolDown", "breaker.maximumCoolDown", breaker.coolDown <= breaker.maximumCoolDown)
  }

  /// The fault goes to the key that was given: an operator cannot mend a default.
  private mutating func order(_ low: String, _ high: String, _ holds: Bool) {
    guard !holds, isSound(low, high) else { return }
    if given[low] != nil || given[high] == nil {
      refuse(low, "allowed: at most \(high), which is \(shown(high)) (\(origin(high)))")
    } else {
      refuse(high, "allowed: at least \(low), which is \(shown(low)) (\(origin(low)))")
    }
  }

  private mutating func warnOfChoices() {
    if configuration.allowsUnsigned {
      warnings.append(
        "unsigned avatar URLs are served: whoever can connect to \(configuration.listen) can have any picture fetched")
    }
    if configuration.fetch.proxy != nil {
      warnings.append("fetch.proxy is set: addresses are the proxy's to check, only literal hosts are refused here")
    }
    if configuration.workers.confinement == .preferred {
      warnings.append("workers.confinement is preferred: pictures may be decoded by workers that are not confined")
    }
  }

  private func isSound(_ keys: String...) -> Bool { keys.allSatisfy { !faultyKeys.contains($0) } }
  private func origin(_ key: String) -> ConfigurationOrigin { given[key]?.origin ?? .standard }
  private func shown(_ key: String) -> String { ConfigurationKey.byName[key]?.shown(in: configuration) ?? "not given" }

  private mutating func refuse(_ key: String, _ reason: String) {
    fault(key, value: ConfigurationKey.byName[key]?.shown(in: configuration), origin(key), reason)
  }
}

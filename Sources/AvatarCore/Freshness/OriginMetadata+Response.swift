extension CacheDirectives {
  /// Our own note beside the origin's directives: the lifetime was reckoned from `Expires`, an absolute moment, so that a later 304
  /// without one does not begin it anew.
  public static let lifetimeByExpires = Self(rawValue: 32)
}

extension OriginMetadata {
  /// What freshness needs of an origin's 200, by RFC 9111.
  ///
  /// Age on arrival by section 4.2.3, a `Date` ahead of our clock counting as now. Lifetime: s-maxage before max-age before `Expires`
  /// minus `Date` (section 4.2.1); of contradictions the most restrictive counts, what cannot be read counts as 0.
  /// No header makes this fail.
  public init(of response: OriginResponse) {
    let said = OriginStatement(response)
    self.init(
      receivedAt: response.receivedAt, initialAge: said.initialAge,
      explicitLifetime: said.cacheControl?.lifetime ?? said.expiresLifetime, directives: said.directives,
      validators: said.validators)
    if said.cacheControl?.lifetime == nil, said.expiresLifetime != nil { directives.insert(.lifetimeByExpires) }
  }

  /// This metadata after a 304 has confirmed the stored bytes (RFC 9111 sections 3.2 and 4.3.4): what the 304 says replaces what was
  /// said before, what it leaves out stays.
  ///
  /// A 304 whose own validator is not ours speaks of other bytes than those we keep: nothing of its freshness counts and no validator
  /// survives. The copy is kept for the policy's minimum, so that the origin is spared, and the next request is unconditional.
  public func renewed(by notModified: OriginResponse) -> OriginMetadata {
    let said = OriginStatement(notModified)
    var renewed = self
    renewed.receivedAt = notModified.receivedAt
    renewed.initialAge = said.initialAge
    guard validators.agree(with: said.validators, now: notModified.receivedAt) else {
      renewed.explicitLifetime = 0
      renewed.directives.formUnion(said.directives)
      renewed.directives.remove(.lifetimeByExpires)
      renewed.validators = Validators()
      return renewed
    }
    renewed.validators.etag = said.validators.etag ?? validators.etag
    renewed.validators.lastModified = said.validators.lastModified ?? validators.lastModified

    let wasByExpires = directives.contains(.lifetimeByExpires)
    var maxAge = wasByExpires ? nil : explicitLifetime
    if let cacheControl = said.cacheControl {
      renewed.directives = cacheControl.directives
      maxAge = cacheControl.lifetime
    } else {
      renewed.directives.formUnion(said.directives)  // `Pragma`
    }
    let remainder = wasByExpires ? remainderOfExpires(at: renewed) : nil
    let byExpires = said.expiresLifetime ?? remainder
    renewed.explicitLifetime = maxAge ?? byExpires
    if maxAge == nil, byExpires != nil {
      renewed.directives.insert(.lifetimeByExpires)
    } else {
      renewed.directives.remove(.lifetimeByExpires)
    }
    return renewed
  }

  /// The lifetime that an `Expires` of before still gives to an answer whose `Date` is the renewal's.
  private func remainderOfExpires(at renewal: OriginMetadata) -> Int64? {
    guard let explicitLifetime else { return nil }
    let date = receivedAt.seconds - DeltaSeconds.clamp(initialAge)
    let renewedDate = renewal.receivedAt.seconds - renewal.initialAge
    return DeltaSeconds.clamp(date + DeltaSeconds.clamp(explicitLifetime) - renewedDate)
  }
}

/// The header fields of an origin's answer that the rules look at, read once.
private struct OriginStatement {
  /// Nil without the field.
  let cacheControl: CacheControl?
  /// Seconds of `Expires` minus `Date`, 0 if past or unreadable; nil without the field.
  let expiresLifetime: Int64?
  /// RFC 9111's corrected_initial_age.
  let initialAge: Int64
  let directives: CacheDirectives
  let validators: Validators

  init(_ response: OriginResponse) {
    let now = response.receivedAt
    let cacheControl = response.values(of: "cache-control")
    self.cacheControl = cacheControl.isEmpty ? nil : CacheControl(cacheControl)
    let date = response.values(of: "date").first.flatMap { HTTPDate.parse($0, now: now) }

    let apparentAge = date.map { now.seconds - $0.seconds } ?? 0
    let delay = (now - response.requestedAt).wholeSeconds
    let ageField = response.values(of: "age").first ?? ""
    var scanner = ByteScanner(ageField)  // Of a list the first member counts (RFC 9111 section 5.1).
    scanner.take { $0.isBlank }
    let age = DeltaSeconds.parse(scanner.take { $0 != .comma && !$0.isBlank }) ?? 0
    initialAge = DeltaSeconds.clamp(max(apparentAge, age + DeltaSeconds.clamp(delay)))

    let base = date ?? now
    expiresLifetime = response.values(of: "expires").map { text in
      HTTPDate.parse(text, now: now).map { DeltaSeconds.clamp($0.seconds - base.seconds) } ?? 0
    }.min()

    let isPragma = response.values(of: "pragma").contains { CacheControl([$0]).directives.contains(.noCache) }
    directives = self.cacheControl?.directives ?? (isPragma ? .noCache : [])
    validators = Validators(of: response)
  }
}

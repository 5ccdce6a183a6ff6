internal import BenchPictures

/// Decides what each request gets: pictures, what its options ask for, or what the control side does.
struct OriginAnswers {
  /// What happens to a connection that has asked.
  enum Action {
    case send(OriginReply)
    case hang
    case reset
  }

  typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

  let pictures: PictureBook
  var ledger = OriginLedger()
  private var date = OriginDate()

  init(pictures: PictureBook) { self.pictures = pictures }

  /// What the request gets, and how much later.
  mutating func answer(_ request: RequestHead, isFirst: inout Bool) -> (Action, after: Duration?) {
    if request.path.starts(with: "/-/".utf8) { return (.send(control(request)), nil) }
    ledger.requests += 1
    if isFirst { ledger.connections += 1 }
    isFirst = false
    guard request.method != .other else {
      var reply = OriginReply(status: 405, date: date.now(), isLast: request.isLast)
      reply.add("Allow", "GET, HEAD".utf8)
      reply.end()
      return (.send(reply), nil)
    }
    guard let (kind, groupName, name) = parts(of: request.path) else {
      return (.send(plain(404, isLast: request.isLast)), nil)
    }
    guard let asked = options(in: request.query) else { return (.send(plain(400, isLast: true)), nil) }
    // One too many behaves well and is not remembered.
    let group = ledger.group(groupName) ?? OriginGroup()
    group.requests += 1
    let options = asked.overridden(by: group.behaviour)
    if options.hangs { return (.hang, options.delay) }
    if options.resets { return (.reset, options.delay) }
    guard let picture = pictures.picture(kind, name: name, turn: group.turn) else {
      return (.send(plain(404, isLast: request.isLast)), nil)
    }
    return (.send(reply(to: request, options, group, picture)), options.delay)
  }

  /// The answer to what is not a request, after which nothing is read.
  mutating func refusal(_ status: Int) -> OriginReply { plain(status, isLast: true) }

  // MARK: Pictures

  private mutating func reply(
    to request: RequestHead, _ options: RequestOptions, _ group: OriginGroup, _ picture: BenchPicture
  ) -> OriginReply {
    if let hops = options.redirects, hops > 0 { return redirect(request, hopsLeft: hops - 1) }
    if let status = options.status, status != 200 {
      var reply = OriginReply(status: status, date: date.now(), isLast: request.isLast)
      addLifetime(options, unlessTold: nil, to: &reply)
      reply.end(hasLength: status != 204 && status != 304)
      return reply
    }
    var tag: [UInt8] = [0x22]
    tag.append(hexadecimal: picture.digest)
    tag.append(0x2D)
    tag.append(number: group.turn)
    tag.append(0x22)
    let isCurrent = isCurrent(request, tag, group)
    if isCurrent { ledger.notModified += 1 }
    let endsEarly = options.closesEarly && !isCurrent && request.method == .get
    var reply = OriginReply(
      status: isCurrent ? 304 : 200, date: date.now(), isLast: request.isLast || endsEarly)
    reply.add("ETag", tag)
    reply.add("Last-Modified", group.lastModified)
    addLifetime(options, unlessTold: "max-age=3600", to: &reply)
    if isCurrent {
      reply.end(hasLength: false)
    } else {
      reply.add("Content-Type", picture.contentType.utf8)
      reply.end(body: picture.bytes, options: options, isAnnounced: request.method == .head)
    }
    return reply
  }

  /// Whether the client has the present picture (RFC 9110, 13.2.2: the date counts only without a tag).
  private func isCurrent(_ request: RequestHead, _ tag: [UInt8], _ group: OriginGroup) -> Bool {
    if let tags = request.ifNoneMatch {
      if tags.elementsEqual("*".utf8) { return true }
      // A tag has its quotes and no quote inside: found anywhere in the list, it is a member.
      return tags.indices.contains { tags[$0] == 0x22 && tags[$0...].starts(with: tag) }
    }
    guard let since = request.ifModifiedSince else { return false }
    if since.elementsEqual(group.lastModified) { return true }
    return OriginDate.second(of: since).map { $0 >= group.modifiedSecond } ?? false
  }

  /// To itself, with one hop less; the last one says 0, so that a group's behaviour does not begin anew.
  private mutating func redirect(_ request: RequestHead, hopsLeft: Int) -> OriginReply {
    let kept = request.query.split(separator: 0x26).filter { !$0.starts(with: "redirect=".utf8) }
    var location = Array(request.path) + Array("?redirect=\(hopsLeft)".utf8)
    for part in kept {
      location.append(0x26)
      location += part
    }
    var reply = OriginReply(status: 302, date: date.now(), isLast: request.isLast)
    reply.add("Location", location)
    reply.end()
    return reply
  }

  private func addLifetime(_ options: RequestOptions, unlessTold usual: StaticString?, to reply: inout OriginReply) {
    if options.isNotStored {
      reply.add("Cache-Control", "no-store".utf8)
    } else if let seconds = options.maxAge {
      reply.add("Cache-Control", "max-age=\(seconds)".utf8)
    } else if let usual {
      reply.add("Cache-Control", UnsafeBufferPointer(start: usual.utf8Start, count: usual.utf8CodeUnitCount))
    }
  }

  private mutating func plain(_ status: Int, isLast: Bool) -> OriginReply {
    var reply = OriginReply(status: status, date: date.now(), isLast: isLast)
    reply.end()
    return reply
  }

  /// Kind, `KIND/GROUP` and name of `/KIND/GROUP/NAME`; nil for no such path and for a kind that is not in the book.
  private func parts(of path: Bytes) -> (PictureKind, group: Bytes, name: Bytes)? {
    let rest = path.dropFirst()
    guard let first = rest.firstIndex(of: 0x2F),
      let second = rest[(first + 1)...].firstIndex(of: 0x2F), second > first + 1, second + 1 < rest.endIndex,
      let kind = kind(named: rest[..<first])
    else { return nil }
    return (kind, rest[..<second], rest[(second + 1)...])
  }

  private func kind(named name: some Sequence<UInt8>) -> PictureKind? {
    pictures.kinds.first { $0.rawValue.utf8.elementsEqual(name) }
  }

  private func options(in query: some Collection<UInt8>) -> RequestOptions? {
    query.isEmpty ? RequestOptions() : RequestOptions(query: String(decoding: query, as: UTF8.self))
  }

  // MARK: Control

  private mutating func control(_ request: RequestHead) -> OriginReply {
    var query = request.query
    var group: Bytes?
    if query.starts(with: "group=".utf8) {
      let end = query.firstIndex(of: 0x26) ?? query.endIndex
      group = query[..<end].dropFirst(6)
      query = query[end...].dropFirst()
    }
    let name = request.path.dropFirst(3)
    switch (group, request.method) {
    case (nil, .get) where name.elementsEqual("counts".utf8) && query.isEmpty:
      return json(ledger.json, isLast: request.isLast)
    case (let group?, .get):
      guard isGroup(group) else { return uncounted(plain(404, isLast: request.isLast)) }
      if name.elementsEqual("counts".utf8), query.isEmpty {
        return json(Array("{\"requests\":\(ledger.requests(of: group))}\n".utf8), isLast: request.isLast)
      }
      guard let known = ledger.group(group) else { return uncounted(plain(503, isLast: request.isLast)) }
      if name.elementsEqual("change".utf8), query.isEmpty {
        known.change()
        return json(Array("{\"changes\":\(known.turn)}\n".utf8), isLast: request.isLast)
      }
      if name.elementsEqual("behave".utf8) {
        guard let options = options(in: query) else { return uncounted(plain(400, isLast: true)) }
        known.behaviour = options
        return json(Array("{}\n".utf8), isLast: request.isLast)
      }
      return uncounted(plain(404, isLast: request.isLast))
    default:
      return uncounted(plain(404, isLast: request.isLast))
    }
  }

  /// Whether it is `KIND/GROUP`, of a kind that is in the book.
  private func isGroup(_ name: Bytes) -> Bool {
    let parts = name.split(separator: 0x2F, omittingEmptySubsequences: false)
    return parts.count == 2 && !parts[1].isEmpty && kind(named: parts[0]) != nil
  }

  private mutating func json(_ text: [UInt8], isLast: Bool) -> OriginReply {
    var reply = OriginReply(status: 200, date: date.now(), isLast: isLast)
    reply.add("Content-Type", "application/json".utf8)
    reply.add("Cache-Control", "no-store".utf8)
    reply.end(body: text)
    return uncounted(reply)
  }

  private func uncounted(_ reply: OriginReply) -> OriginReply {
    var reply = reply
    reply.isCounted = false
    return reply
  }
}

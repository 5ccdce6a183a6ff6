import AvatarCore
import CMicroHTTPD
import Glibc
import Synchronization

/// Owns one event loop of the library: a daemon without a listening socket, with its own thread, that is given its
/// connections. All of the library's callbacks are here; they only translate.
///
/// The library could listen and share a socket between threads itself. It does neither here: stopping that
/// (`MHD_quiesce_daemon`) aborts the process when it meets a loop at the wrong moment, and its connection limit leaves
/// clients in the backlog instead of refusing them.
///
/// `@unchecked Sendable`: the handle is immutable until `stop`, which the owner calls once, after the last `add`.
final class MHDDaemon: @unchecked Sendable {
  private let handle: OpaquePointer
  private let texts: [UnsafeMutablePointer<CChar>]
  private let kept: Unmanaged<ServingLoop>
  private let wakeUp: Int32

  /// One connection's memory: a target of 24 KiB and about 8 KiB of other fields fit. It is cleared whole after each
  /// request. Over 32 KiB the library maps it by itself, so that it goes back when the connection closes: from the
  /// heap, 9,500 connections left 300 MB behind, like this nothing. That costs 50 µs a connection, not a request.
  private static let connectionMemory = 36 * 1024

  /// Starts the loop; throws `internal` with the library's own words.
  init(for loop: ServingLoop, options: HTTPServerOptions) throws(AvatarError) {
    texts = [options.tls?.certificatePEM, options.tls?.keyPEM, "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"]
      .compactMap { $0.flatMap { strdup($0) } }
    kept = Unmanaged.passRetained(loop)
    var settings = CMicroHTTPDOptions()
    let idleSeconds = (FastLane.idleTimeout(for: options).milliseconds + 999) / 1000
    settings.idleTimeoutSeconds = UInt32(clamping: max(1, idleSeconds))
    // Out of reach: at its limit the library leaves a lock locked and the loop stands still for ever. The acceptor and
    // `connectionOpened` hold the real one.
    settings.connectionLimit = UInt32(Int32.max)
    settings.connectionMemory = Self.connectionMemory
    if options.tls != nil, texts.count == 3 {
      settings.certificate = UnsafePointer(texts[0])
      settings.key = UnsafePointer(texts[1])
      settings.priorities = UnsafePointer(texts[2])
    }
    settings.context = kept.toOpaque()
    settings.handler = requestProgressed
    settings.completed = requestEnded
    settings.connection = connectionChanged
    settings.target = targetArrived
    settings.log = libraryLogged
    guard let handle = CMicroHTTPD_start(&settings) else {
      kept.release()
      texts.forEach { free($0) }
      throw AvatarError(.internalFault, "libmicrohttpd does not start: \(loop.lastLibraryLine)")
    }
    self.handle = handle
    wakeUp = CMicroHTTPD_addWakeUp(handle)
    guard wakeUp >= 0 else {
      let reason = String(cString: strerror(errno))
      MHD_stop_daemon(handle)
      kept.release()
      texts.forEach { free($0) }
      throw AvatarError(.internalFault, "an event loop cannot be woken: \(reason)")
    }
  }

  /// Has the loop go round once. From any thread, before `stop` returns.
  func nudge() {
    var one: UInt64 = 1
    _ = write(wakeUp, &one, MemoryLayout<UInt64>.size)
  }

  /// Hands a connected socket over, which the library closes in any case; false if it takes no more.
  func add(_ descriptor: Int32, address: sockaddr_storage, length: socklen_t) -> Bool {
    var address = address
    return withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        MHD_add_connection(handle, descriptor, address, length) == .YES
      }
    }
  }

  /// Closes every connection and joins the thread. No connection may be suspended: the library would abort.
  func stop() {
    MHD_stop_daemon(handle)
    close(wakeUp)
    kept.release()
    texts.forEach { free($0) }
  }
}

// MARK: - Callbacks

private func loop(_ context: UnsafeMutableRawPointer?) -> ServingLoop? {
  context.map { Unmanaged<ServingLoop>.fromOpaque($0).takeUnretainedValue() }
}

private let connectionChanged: MHD_NotifyConnectionCallback = { context, connection, slot, change in
  guard let slot, let connection else { return }
  if change == .CONNECTION_NOTIFY_STARTED {
    guard let loop = loop(context) else { return }
    let record = loop.connectionOpened(descriptor: CMicroHTTPD_descriptor(connection))
    slot.pointee = Unmanaged.passRetained(record).toOpaque()
  } else if let stored = slot.pointee {
    slot.pointee = nil
    loop(context)?.connectionClosed(Unmanaged<ConnectionRecord>.fromOpaque(stored).takeRetainedValue())
  }
}

/// The only place that sees the target undecoded. What it returns is the request's context.
private let targetArrived:
  @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer? = {
    _, target, connection in
    guard let target, let connection, let stored = CMicroHTTPD_socketContext(connection) else { return nil }
    let record = Unmanaged<ConnectionRecord>.fromOpaque(stored).takeUnretainedValue()
    let bytes = UnsafeRawBufferPointer(start: target, count: strlen(target))
    return Unmanaged.passRetained(record.loop.requestBegan(on: record, target: bytes)).toOpaque()
  }

private let requestProgressed: MHD_AccessHandlerCallback = {
  _, connection, url, method, version, upload, uploadBytes, slot in
  guard let connection, let stored = slot?.pointee, let uploadBytes else { return .NO }
  let context = Unmanaged<RequestContext>.fromOpaque(stored).takeUnretainedValue()
  let lent = MHDConnection(handle: connection)
  let loop = context.record.loop
  if case .head = context.stage {
    guard let method, let url, let version else { return .NO }
    let head = LentHead(connection: connection, method: method, url: url, version: version)
    let framing = RequestFraming(reading: head, targetBytes: context.targetBytes)
    return loop.headArrived(context, on: lent, framing: framing) ? .YES : .NO
  }
  if uploadBytes.pointee > 0 {
    if case .admitted = context.stage {
      context.body.append(contentsOf: UnsafeRawBufferPointer(start: upload, count: uploadBytes.pointee))
    }
    uploadBytes.pointee = 0
    return .YES
  }
  return loop.requestArrived(context, on: lent) ? .YES : .NO
}

private let requestEnded: MHD_RequestCompletedCallback = { _, _, slot, _ in
  guard let stored = slot?.pointee else { return }
  slot?.pointee = nil
  let context = Unmanaged<RequestContext>.fromOpaque(stored).takeRetainedValue()
  context.record.loop.requestEnded(context)
}

private let libraryLogged: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Void = { context, line in
  guard let line else { return }
  loop(context)?.libraryLogged(String(cString: line))
}

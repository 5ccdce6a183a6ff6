import AvatarCore
import CCurl
import Glibc

/// Owns a multi handle and the easy handles in it. Everything but `wake` is the loop thread's.
///
/// `@unchecked Sendable`: made on the starting thread and handed to the loop thread, which alone uses it from then on; `wake` is the one
/// function that libcurl allows from any thread, and the mailbox calls it only while the handle is open, under its lock.
final class CurlMulti: @unchecked Sendable {
  private var handle: OpaquePointer?
  private var active: [OpaquePointer: CurlEasy] = [:]
  /// The sockets behind the connections.
  let book = ConnectionBook()

  /// Once a process, before any other call; libcurl's own initialization is not thread-safe before 7.84.
  private static let initialized: CURLcode = curl_global_init(Int(CURL_GLOBAL_ALL))

  /// With at most `connections` kept open without use. Throws `internal` if libcurl cannot start.
  init(connections: Int) throws(AvatarError) {
    guard Self.initialized == CURLE_OK, let handle = curl_multi_init() else {
      throw AvatarError(.internalFault, "libcurl does not start")
    }
    self.handle = handle
    avatar_multi_set_long(handle, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    avatar_multi_set_long(handle, CURLMOPT_MAXCONNECTS, connections)
  }

  deinit { close() }

  /// Ends all transfers and connections.
  func close() {
    guard let handle else { return }
    for easy in active.keys { curl_multi_remove_handle(handle, easy) }
    active = [:]
    curl_multi_cleanup(handle)
    self.handle = nil
  }

  /// Starts a prepared transfer; false if libcurl does not take it.
  func add(_ easy: CurlEasy) -> Bool {
    guard curl_multi_add_handle(handle, easy.handle.pointer) == CURLM_OK else { return false }
    active[easy.handle.pointer] = easy
    return true
  }

  /// Ends a transfer that is not over; its connection goes with it.
  func remove(_ easy: CurlEasy) {
    guard active.removeValue(forKey: easy.handle.pointer) != nil else { return }
    curl_multi_remove_handle(handle, easy.handle.pointer)
  }

  /// Moves every transfer as far as it goes without waiting.
  func perform() {
    var running: Int32 = 0
    // A fault of one transfer ends that transfer; `wait` paces a fault of the whole.
    _ = curl_multi_perform(handle, &running)
  }

  /// The next transfer that is over, with libcurl's result.
  func nextFinished() -> (easy: CurlEasy, code: UInt32)? {
    var left: Int32 = 0
    while let message = curl_multi_info_read(handle, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let finished = message.pointee.easy_handle else { continue }
      let code = message.pointee.data.result.rawValue
      guard let easy = active[finished] else { continue }
      remove(easy)
      return (easy, code)
    }
    return nil
  }

  /// Waits until there is something to do, `wake` is called or the time is over.
  func wait(milliseconds: Int32) {
    guard curl_multi_poll(handle, nil, 0, milliseconds, nil) != CURLM_OK else { return }
    _ = poll(nil, 0, 10)  // Out of memory, most likely: go on, but do not spin.
  }

  /// Ends `wait` at once, now or the next time.
  func wake() { if let handle { curl_multi_wakeup(handle) } }
}

/// Owns an easy handle, and says each option and fact in one Swift type.
final class CurlHandle {
  fileprivate let pointer: OpaquePointer
  private var lists: [UInt32: UnsafeMutablePointer<curl_slist>] = [:]
  /// The first option that libcurl did not take since this was last set; `CURLE_OK` for none.
  var refusal = CURLE_OK

  /// Nil if libcurl has no handle.
  init?() {
    guard let pointer = curl_easy_init() else { return nil }
    self.pointer = pointer
  }

  deinit {
    curl_easy_cleanup(pointer)
    for list in lists.values { curl_slist_free_all(list) }
  }

  func set(_ option: CURLoption, _ value: Int) { note(avatar_easy_set_long(pointer, option, value)) }
  func set(_ option: CURLoption, _ value: Bool) { set(option, value ? 1 : 0) }
  func set(_ option: CURLoption, _ value: String?) { note(avatar_easy_set_string(pointer, option, value)) }
  func set(_ option: CURLoption, _ value: @escaping curl_write_callback) {
    note(avatar_easy_set_receiver(pointer, option, value))
  }

  /// What a callback gets. Not retained: whoever sets it outlives every call of the callback.
  func set(_ option: CURLoption, context: AnyObject) {
    note(avatar_easy_set_context(pointer, option, Unmanaged.passUnretained(context).toOpaque()))
  }

  /// Replaces a list of lines, which libcurl does not copy.
  func set(_ option: CURLoption, lines: [String]) {
    var list: UnsafeMutablePointer<curl_slist>?
    for line in lines {
      guard let longer = curl_slist_append(list, line) else {
        curl_slist_free_all(list)
        return note(CURLE_OUT_OF_MEMORY)
      }
      list = longer
    }
    note(avatar_easy_set_list(pointer, option, list))
    curl_slist_free_all(lists.removeValue(forKey: option.rawValue))
    lists[option.rawValue] = list
  }

  /// The callbacks that have a type of their own.
  func set(
    opener: @escaping curl_opensocket_callback, closer: @escaping curl_closesocket_callback,
    starter: @escaping curl_prereq_callback, listener: @escaping curl_debug_callback
  ) {
    note(avatar_easy_set_socket_opener(pointer, opener))
    note(avatar_easy_set_socket_closer(pointer, closer))
    note(avatar_easy_set_starter(pointer, starter))
    note(avatar_easy_set_listener(pointer, listener))
  }

  /// A fact that is a number; 0 if libcurl does not know it.
  func number(_ fact: CURLINFO) -> Int {
    var value = 0
    return avatar_easy_get_long(pointer, fact, &value) == CURLE_OK ? value : 0
  }

  /// A fact that is a time in microseconds.
  func time(_ fact: CURLINFO) -> Duration {
    var value: curl_off_t = 0
    return avatar_easy_get_offset(pointer, fact, &value) == CURLE_OK ? .microseconds(Int64(value)) : .zero
  }

  /// A fact that is a text; empty if libcurl does not know it.
  func text(_ fact: CURLINFO) -> String {
    var value: UnsafePointer<CChar>?
    guard avatar_easy_get_string(pointer, fact, &value) == CURLE_OK, let value else { return "" }
    return String(cString: value)
  }

  /// The lines that libcurl has of the peer's own certificate, `Name:value`.
  func certificateLines() -> [String] {
    var chain: UnsafeMutablePointer<curl_certinfo>?
    guard avatar_easy_get_certificates(pointer, &chain) == CURLE_OK, let chain, chain.pointee.num_of_certs > 0 else {
      return []
    }
    var lines: [String] = []
    var node = chain.pointee.certinfo[0]
    while let entry = node?.pointee {
      if let bytes = entry.data { lines.append(String(cString: bytes)) }
      node = entry.next
    }
    return lines
  }

  /// What TLS there is on the connection in use.
  enum Session { case none, quiet, unread, http2, unknown }

  /// Looks at the connection in use; only within a callback.
  func session() -> Session {
    var session: UnsafeMutablePointer<curl_tlssessioninfo>?
    guard avatar_easy_get_session(pointer, &session) == CURLE_OK, let session = session?.pointee else {
      return .unknown
    }
    guard let inner = session.internals else { return .none }
    guard session.backend == CURLSSLBACKEND_OPENSSL else { return .unknown }
    if avatar_session_speaks_http2(inner) != 0 { return .http2 }
    return avatar_session_has_unread(inner) != 0 ? .unread : .quiet
  }

  private func note(_ code: CURLcode) { if refusal == CURLE_OK { refusal = code } }
}

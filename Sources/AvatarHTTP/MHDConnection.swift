import AvatarCore
import CMicroHTTPD
import Glibc

/// A connection as the library lends it: good on its loop's thread while a callback runs, and anywhere while it is
/// suspended.
///
/// `@unchecked Sendable`: a handle only; `PendingReply` and the callbacks keep to the rule above.
struct MHDConnection: @unchecked Sendable {
  /// The library's own handle.
  let handle: OpaquePointer

  // MARK: - Suspending and answering

  /// Takes it out of its loop; nothing happens on it until `resume`.
  func suspend() { MHD_suspend_connection(handle) }

  /// Puts it back; its loop calls the handler again. From any thread, once for each `suspend`.
  func resume() { MHD_resume_connection(handle) }

  /// Queues an answer; false if the library does not take one now.
  func queue(_ response: MHDResponse) -> Bool {
    MHD_queue_response(handle, UInt32(truncatingIfNeeded: response.status), response.handle) == .YES
  }

  // MARK: - Fields

  /// The value of a field, repeated ones joined with `, `; nil if absent.
  func field(_ name: StaticString) -> String? {
    guard name.hasPointerRepresentation else { return nil }
    return name.withUTF8Buffer { name in
      name.withMemoryRebound(to: CChar.self) { name in
        var search = FieldSearch(name: name)
        withUnsafeMutablePointer(to: &search) {
          _ = MHD_get_connection_values_n(handle, .HEADER_KIND, collectMatching, $0)
        }
        return search.value
      }
    }
  }

  /// All fields in order, names in lower case.
  func fields() -> [HeaderField] {
    var fields: [HeaderField] = []
    withUnsafeMutablePointer(to: &fields) { _ = MHD_get_connection_values_n(handle, .HEADER_KIND, collectAll, $0) }
    return fields
  }
}

private struct FieldSearch {
  let name: UnsafeBufferPointer<CChar>
  var value: String?
}

private func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
  var bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)[...]
  // The library trims blanks in front of a value only.
  while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
  return String(decoding: bytes, as: UTF8.self)
}

private let collectMatching: MHD_KeyValueIteratorN = { search, _, name, nameBytes, value, valueBytes in
  guard let search = search?.assumingMemoryBound(to: FieldSearch.self), let name,
    let wanted = search.pointee.name.baseAddress
  else { return .NO }
  if nameBytes == search.pointee.name.count, strncasecmp(name, wanted, nameBytes) == 0 {
    let found = text(value, valueBytes)
    search.pointee.value = search.pointee.value.map { "\($0), \(found)" } ?? found
  }
  return .YES
}

private let collectAll: MHD_KeyValueIteratorN = { fields, _, name, nameBytes, value, valueBytes in
  guard let fields = fields?.assumingMemoryBound(to: [HeaderField].self) else { return .NO }
  fields.pointee.append(HeaderField(text(name, nameBytes).asciiLowercased, text(value, valueBytes)))
  return .YES
}

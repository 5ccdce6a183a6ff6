import CSQLite

/// A value that is bound to a statement's parameter.
enum SQLiteValue {
  case null
  case number(Int64)
  case text(String)
  case blob([UInt8])

  /// A number, or NULL.
  static func optional(_ number: Int64?) -> Self { number.map(Self.number) ?? .null }
  /// Text, or NULL.
  static func optional(_ text: String?) -> Self { text.map(Self.text) ?? .null }
}

/// One prepared statement; owned by its connection, which finalizes it.
final class SQLiteStatement {
  private let handle: OpaquePointer

  init(_ handle: OpaquePointer) { self.handle = handle }

  /// Called once, by the connection, when it closes.
  func finalize() { sqlite3_finalize(handle) }

  /// Ends the run, so that no lock is held.
  func reset() {
    sqlite3_reset(handle)  // Repeats the last step's code, which was thrown already.
    sqlite3_clear_bindings(handle)
  }

  /// Resets and binds the parameters in order.
  func bind(_ values: [SQLiteValue]) throws(StoreFault) {
    reset()
    for (offset, value) in values.enumerated() {
      let index = Int32(offset + 1)
      let code: Int32
      switch value {
      case .null: code = sqlite3_bind_null(handle, index)
      case .number(let number): code = sqlite3_bind_int64(handle, index, number)
      case .text(var text):
        code = text.withUTF8 { bytes in
          bytes.withMemoryRebound(to: CChar.self) {
            csqlite_bind_text_copy(handle, index, $0.baseAddress, Int32($0.count))
          }
        }
      case .blob(let blob):
        code = blob.withUnsafeBytes { csqlite_bind_blob_copy(handle, index, $0.baseAddress, Int32($0.count)) }
      }
      guard code == SQLITE_OK else { throw StoreFault(.index(code), "bind a value") }
    }
  }

  /// Steps to the next row; false at the end.
  func step() throws(StoreFault) -> Bool {
    let code = sqlite3_step(handle)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default:
      sqlite3_reset(handle)
      throw StoreFault(.index(code), "step a statement")
    }
  }

  /// The column's number; 0 where it is NULL.
  func number(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  /// The column's number; nil where it is NULL.
  func optionalNumber(_ column: Int32) -> Int64? {
    sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : number(column)
  }

  /// Whether the column holds a whole number.
  func isNumber(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_INTEGER }

  /// The column's text; nil where it is NULL.
  func text(_ column: Int32) -> String? {
    guard let start = sqlite3_column_text(handle, column) else { return nil }
    let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The column's bytes; empty where it is NULL.
  func blob(_ column: Int32) -> [UInt8] {
    guard let start = sqlite3_column_blob(handle, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
  }
}

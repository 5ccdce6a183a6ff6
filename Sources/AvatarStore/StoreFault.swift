import CSQLite
import Glibc

/// What the disk or the index refused, by number, with the place; stays inside the store, which turns it into a miss or `.failed`.
struct StoreFault: Error, Hashable {
  /// Who said no.
  enum Cause: Hashable {
    /// An `errno` of a file call.
    case file(Int32)
    /// An extended result code of SQLite.
    case index(Int32)
    /// The object is larger than the whole cache may be, or all that is there is being written at this moment.
    case noRoom
    /// The queue before the disk is full, or the store is closed.
    case queueFull
  }
  /// Who said no, and the number.
  let cause: Cause
  /// The step that failed, for the log.
  let step: StaticString

  /// Makes a fault.
  init(_ cause: Cause, _ step: StaticString) {
    self.cause = cause
    self.step = step
  }

  static func == (left: Self, right: Self) -> Bool { left.cause == right.cause }
  func hash(into hasher: inout Hasher) { hasher.combine(cause) }

  /// The present `errno` as a fault; call it first after the call that failed.
  static func errno(_ step: StaticString) -> Self { Self(.file(Glibc.errno), step) }
}

extension StoreFault {
  /// Whether the index file itself is broken and has to be set aside.
  var meansDamagedIndex: Bool {
    guard case .index(let code) = cause else { return false }
    switch code & 0xff {
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT: return true
    // A row that breaks a constraint: the schema or its indexes are not what we wrote.
    case SQLITE_CONSTRAINT, SQLITE_MISMATCH: return true
    // A short read at a place that the file's own header says is there.
    case SQLITE_IOERR: return code == SQLITE_IOERR | (2 << 8)
    default: return false
    }
  }

  /// Whether the open connection is of no use any more: the file or its file system went away or turned read-only.
  var needsReopen: Bool {
    guard case .index(let code) = cause else { return false }
    switch code & 0xff {
    case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_AUTH, SQLITE_PERM, SQLITE_MISUSE, SQLITE_PROTOCOL:
      return true
    default: return meansDamagedIndex
    }
  }

  /// Whether the same call would probably work a moment later, so that nothing on disk is to blame.
  var isPassing: Bool {
    switch cause {
    case .file(let number): [EMFILE, ENFILE, ENOMEM, EINTR, EAGAIN, ESTALE].contains(number)
    case .index(let code): [SQLITE_BUSY, SQLITE_LOCKED, SQLITE_NOMEM, SQLITE_INTERRUPT].contains(code & 0xff)
    case .queueFull: true
    case .noRoom: false
    }
  }

  /// One word for the log.
  var reason: String {
    switch cause {
    case .file(let number):
      switch number {
      case ENOSPC, EDQUOT: "disk_full"
      case EROFS: "read_only"
      case EACCES, EPERM: "no_permission"
      case ENOENT, ENOTDIR: "vanished"
      case EIO: "io_error"
      default: "errno_\(number)"
      }
    case .index(let code):
      switch code & 0xff {
      case SQLITE_FULL: "disk_full"
      case SQLITE_READONLY: "read_only"
      case SQLITE_PERM, SQLITE_AUTH: "no_permission"
      case SQLITE_BUSY, SQLITE_LOCKED: "index_busy"
      case SQLITE_CANTOPEN: "index_unopenable"
      case SQLITE_IOERR: "io_error"
      case SQLITE_CORRUPT, SQLITE_NOTADB: "index_damaged"
      default: "sqlite_\(code)"
      }
    case .noRoom: "no_room"
    case .queueFull: "queue_full"
    }
  }
}

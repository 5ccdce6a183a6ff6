import AvatarCore

/// What a thread that reads and writes objects has of its own.
final class DiskThread {
  let reader: IndexReader
  let files: ObjectFiles

  init(reader: IndexReader, files: ObjectFiles) {
    self.reader = reader
    self.files = files
  }

  /// How an object's file came to be in place.
  enum Placed: Sendable {
    /// Written; so many bytes were allocated.
    case written(Int)
    /// It was there and is whole.
    case wasThere
    /// The index has it, the disk has not, or not whole.
    case broken
  }

  /// Puts an object's file in place where room was taken for it; looks at the one that is there otherwise.
  func place(_ bytes: [UInt8], _ hash: ContentHash, _ reservation: Reservation?) throws(StoreFault) -> Placed {
    if let reservation { return .written(try files.write(bytes, as: hash, temporary: reservation.temporary)) }
    if case .sound = try files.read(hash) { return .wasThere }
    return .broken
  }
}

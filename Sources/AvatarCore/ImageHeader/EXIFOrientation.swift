/// Reads the orientation tag of an EXIF block (TIFF 6.0: tag 274 of the first directory).
enum EXIFOrientation {
  /// 2…8 as the tag says; 1 where it is absent, not valid, or the block is cut short. `block` begins with the TIFF header.
  static func read(_ block: ArraySlice<UInt8>) -> Int {
    let view = ByteView(bytes: Array(block))
    let isLittle = view.matches("II*\0", at: 0)
    guard isLittle || view.matches("MM\0*", at: 0) else { return 1 }
    func number(_ offset: Int, _ length: Int) -> Int? {
      isLittle ? view.little(offset, length) : view.big(offset, length)
    }
    guard let directory = number(4, 4), let entries = number(directory, 2) else { return 1 }
    for index in 0..<entries {
      let entry = directory + 2 + 12 * index
      guard let tag = number(entry, 2), let type = number(entry + 2, 2) else { return 1 }
      guard tag == 274 else { continue }
      // A SHORT by the standard; some writers use LONG.
      let value = type == 3 ? number(entry + 8, 2) : type == 4 ? number(entry + 8, 4) : nil
      guard let value, (2...8).contains(value) else { return 1 }
      return value
    }
    return 1
  }
}

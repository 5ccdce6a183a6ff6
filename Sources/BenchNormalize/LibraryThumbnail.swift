internal import AvatarCore
internal import AvatarNormalize
internal import CVips

/// libvips' own thumbnail and its JPEG, as anybody would call it: the contestant.
enum LibraryThumbnail {
  /// Starts libvips as the normalizer does, and allows it what that forbids.
  static func open() throws(AvatarError) {
    _ = try Normalizer()
    for kind in ["VipsForeignLoadJpegBuffer", "VipsForeignSaveJpegBuffer"] { vips_operation_block_set(kind, 0) }
  }

  /// The JPEG of the centre square. Throws `internal` where libvips refuses.
  static func make(of source: [UInt8], _ side: Int, _ quality: Int) throws(AvatarError) -> [UInt8] {
    vips_vector_set_enabled(1)
    defer { vips_vector_set_enabled(0) }
    var image: OpaquePointer?
    let failed = source.withUnsafeBytes { cvips_thumbnail($0.baseAddress, $0.count, Int32(side), &image) }
    guard failed == 0, let image else { throw fault() }
    defer { cvips_release_image(image) }
    return try jpeg(of: image, quality)
  }

  /// `image` as a JPEG with optimized tables.
  static func jpeg(of image: OpaquePointer, _ quality: Int) throws(AvatarError) -> [UInt8] {
    var bytes: UnsafeMutableRawPointer?
    var count = 0
    guard cvips_save_thumbnail(image, Int32(quality), &bytes, &count) == 0, let bytes else { throw fault() }
    defer { cvips_free(bytes) }
    return [UInt8](unsafeUninitializedCapacity: count) { target, filled in
      UnsafeMutableRawBufferPointer(target).copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: count))
      filled = count
    }
  }

  /// What libvips says of its last fault, which it then forgets.
  static func fault() -> AvatarError {
    defer { vips_error_clear() }
    return AvatarError(.internalFault, "libvips: \(String(cString: vips_error_buffer()))")
  }
}

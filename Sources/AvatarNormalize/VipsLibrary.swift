internal import AvatarCore
internal import CVips

/// libvips as this process uses it: one thread, no cache of operations, no decoder but the wanted ones and no writer at all.
enum VipsLibrary {
  /// Starts it, once; later calls give the first one's result. Throws `internal`.
  static func start() throws(AvatarError) { try started.get() }

  private static let started: Result<Void, AvatarError> = {
    cvips_silence()
    guard cvips_start() == 0 else { return .failure(AvatarError(.internalFault, "libvips does not start")) }
    vips_concurrency_set(1)
    vips_cache_set_max(0)
    // Its vector code is compiled at run time, into memory that is writable and executable: not in a process that decodes
    // strangers' bytes. And an avatar has the same bytes on every machine.
    vips_vector_set_enabled(0)
    vips_operation_block_set("VipsForeignLoad", 1)
    vips_operation_block_set("VipsForeignSave", 1)
    for wanted in ["Png", "Nsgif", "Webp", "Heif", "Svg"] {
      vips_operation_block_set("VipsForeignLoad\(wanted)Buffer", 0)
    }
    return .success(())
  }()
}

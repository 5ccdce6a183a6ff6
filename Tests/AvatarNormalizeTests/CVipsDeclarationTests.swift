import Foundation
import Testing

/// The shim declares libvips' functions and values itself; this compares them with the real headers.
struct CVipsDeclarationTests {
  @Test func `the declared prototypes and values are those of the installed headers`() throws {
    let result = try compile(replacing: ("", ""))
    #expect(result.status == 0, "\(result.output)")
  }

  @Test(arguments: [
    ("int vips_region_fetch", "unsigned char *vips_region_fetch"),
    ("CVIPS_FORMAT_USHORT = 3", "CVIPS_FORMAT_USHORT = 2"),
    ("void vips_cache_set_max(long max)", "void vips_cache_set_max(int max)"),
  ])
  func `a declaration that has drifted is found`(_ wrong: String, _ right: String) throws {
    #expect(try compile(replacing: (right, wrong)).status != 0, "\(wrong)")
  }

  /// Compiles the shim's declarations after the real headers, with one text in them replaced.
  private func compile(replacing change: (String, String)) throws -> (status: Int32, output: String) {
    let shim = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/CVips")
    var source = "#include <vips/vips.h>\n#include <vips/vector.h>\n#include <gmodule.h>\n"
    for name in ["include/CVips.h", "CVipsValues.h"] {
      let text = try String(contentsOf: shim.appending(path: name), encoding: .utf8)
      source += change.0.isEmpty ? text : text.replacing(change.0, with: change.1)
    }
    for (ours, theirs) in [
      ("CVIPS_SEQUENTIAL", "VIPS_ACCESS_SEQUENTIAL"), ("CVIPS_FAIL_ON_TRUNCATED", "VIPS_FAIL_ON_TRUNCATED"),
      ("CVIPS_FORMAT_UCHAR", "VIPS_FORMAT_UCHAR"), ("CVIPS_FORMAT_USHORT", "VIPS_FORMAT_USHORT"),
      ("CVIPS_INTERPRETATION_B_W", "VIPS_INTERPRETATION_B_W"),
      ("CVIPS_INTERPRETATION_CMYK", "VIPS_INTERPRETATION_CMYK"),
      ("CVIPS_INTERPRETATION_RGB", "VIPS_INTERPRETATION_RGB"),
      ("CVIPS_INTERPRETATION_SRGB", "VIPS_INTERPRETATION_sRGB"),
      ("CVIPS_INTERPRETATION_RGB16", "VIPS_INTERPRETATION_RGB16"),
      ("CVIPS_INTERPRETATION_GREY16", "VIPS_INTERPRETATION_GREY16"), ("CVIPS_INTENT_RELATIVE", "VIPS_INTENT_RELATIVE"),
      ("CVIPS_KERNEL_LANCZOS3", "VIPS_KERNEL_LANCZOS3"),
      ("CVIPS_DIRECTION_HORIZONTAL", "VIPS_DIRECTION_HORIZONTAL"),
      ("CVIPS_EXTEND_BACKGROUND", "VIPS_EXTEND_BACKGROUND"),
      ("CVIPS_INTERESTING_CENTRE", "VIPS_INTERESTING_CENTRE"),
      ("CVIPS_MODULE_BIND_LAZY", "G_MODULE_BIND_LAZY"), ("sizeof(CVIPS_ICC_NAME)", "sizeof(VIPS_META_ICC_NAME)"),
      ("sizeof(CVIPS_PAGE_HEIGHT)", "sizeof(VIPS_META_PAGE_HEIGHT)"),
    ] { source += "_Static_assert((int)\(ours) == (int)\(theirs), \"\(ours)\");\n" }
    let file = FileManager.default.temporaryDirectory.appending(path: "cvips-\(UUID().uuidString).c")
    try source.write(to: file, atomically: false, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
      "-c", "exec cc -std=c11 -Werror -fsyntax-only \"$1\" $(pkg-config --cflags vips gmodule-2.0)", "sh", file.path,
    ]
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, output)
  }
}

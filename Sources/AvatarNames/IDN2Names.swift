public import AvatarCore
import CIDN2

/// International host names by libidn2: UTS 46, non-transitional (`faß.de` stays itself), with the checks of IDNA 2008.
public struct IDN2Names: InternationalNames {
  /// Costs nothing; safe on any thread.
  public init() {}

  /// The ASCII form, or nil for what libidn2 refuses. Pure computation, no look-up.
  public func ascii(_ name: String) -> String? {
    guard !name.utf8.contains(0) else { return nil }  // It would end the C string and hide the rest of the name.
    var output: UnsafeMutablePointer<CChar>?
    let flags = CInt(bitPattern: IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)
    let code = idn2_to_ascii_8z(name, &output, flags)
    guard let output else { return nil }
    defer { idn2_free(output) }
    guard code == IDN2_OK.rawValue else { return nil }
    return String(validatingCString: output)
  }
}

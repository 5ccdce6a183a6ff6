/// Pictures that are text.
enum Drawing {
  /// A logo: gradients, curves, a shadow by a blurred path, as design programs write it.
  static func logo(_ numbers: inout SeededNumbers) -> String {
    func colour(_ numbers: inout SeededNumbers) -> String {
      let digits = String(numbers.next() & 0xFF_FFFF, radix: 16)
      return "#" + String(repeating: "0", count: 6 - digits.count) + digits
    }
    let petals = (0..<8).map { index in
      let (reach, bend) = (Int(numbers.within(60...110)), Int(numbers.within(20...60)))
      return """
          <path d="M128 128c\(bend) -\(bend / 2) \(reach / 2) -\(reach) 0 -\(reach)c-\(reach / 2) 0 -\(bend) \(reach / 2) 0 \(reach)z"\
         fill="\(colour(&numbers))" fill-opacity=".8" transform="rotate(\(index * 45) 128 128)"/>
        """
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="256" height="256" viewBox="0 0 256 256">
        <defs>
          <radialGradient id="ground"><stop offset="0" stop-color="\(colour(&numbers))"/>\
      <stop offset="1" stop-color="\(colour(&numbers))"/></radialGradient>
        </defs>
        <rect width="256" height="256" rx="32" fill="url(#ground)"/>
        <g stroke="#fff" stroke-width="2">
      \(petals.joined(separator: "\n"))
        </g>
        <circle cx="128" cy="128" r="\(Int(numbers.within(14...30)))" fill="\(colour(&numbers))"/>
      </svg>

      """
  }

  /// Ten entities of ten of the one before, and groups of ten uses of the group before.
  static func bomb(_ variation: Int) -> String {
    let entities = (1...9).map { level in
      "  <!ENTITY e\(level) \"\(String(repeating: "&e\(level - 1);", count: 10))\">"
    }
    let groups = (1...9).map { level in
      "  <g id=\"g\(level)\">\(String(repeating: "<use href=\"#g\(level - 1)\" x=\"1\"/>", count: 10))</g>"
    }
    return """
      <?xml version="1.0"?>
      <!DOCTYPE svg [
        <!ENTITY e0 "\(variation) to the ninth">
      \(entities.joined(separator: "\n"))
      ]>
      <svg xmlns="http://www.w3.org/2000/svg" width="256" height="256">
        <g id="g0"><circle cx="9" cy="9" r="9"/></g>
      \(groups.joined(separator: "\n"))
        <text>&e9;</text>
      </svg>

      """
  }

  /// What a server says instead of a picture.
  static func page(_ variation: Int) -> String {
    """
    <!DOCTYPE html>
    <html lang="en"><head><title>Sign in</title></head>
    <body><h1>Please sign in</h1><p>Your session \(variation) has expired.</p></body></html>

    """
  }
}

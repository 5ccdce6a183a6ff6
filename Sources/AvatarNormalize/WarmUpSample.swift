internal import AvatarCore

/// A tiny picture of each format, decoded once before the process is confined: what a decoder opens, starts or looks up
/// at its first picture (fonts, modules, threads, tables) it has from then on.
struct WarmUpSample {
  /// The format, for people.
  let name: String
  /// The picture.
  let bytes: [UInt8]

  /// One for each format.
  static var all: [WarmUpSample] {
    encoded.map { WarmUpSample(name: $0.name, bytes: Base64.decode($0.text.utf8) ?? []) }
      + [WarmUpSample(name: "SVG", bytes: drawing)]
  }

  private static let encoded: [(name: String, text: String)] = [
    (
      "JPEG",
      """
      /9j/4AAQSkZJRgABAQAAAQABAAD/4gHMSUNDX1BST0ZJTEUAAQEAAAG8bGNtcwIQAABtbnRyUkdCIFhZWiAH6gABAAEAAAAAAABh\
      Y3NwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA9tYAAQAAAADTLQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
      AAAAAAAAAAAAAAAAAAAAAAAAAAlkZXNjAAAA8AAAAGB3dHB0AAABUAAAABRjcHJ0AAABZAAAAAxyWFlaAAABcAAAABRnWFlaAAAB\
      hAAAABRiWFlaAAABmAAAABRyVFJDAAABrAAAABBnVFJDAAABrAAAABBiVFJDAAABrAAAABBkZXNjAAAAAAAAAAJXAAAAAAAAAAAA\
      AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABY\
      WVogAAAAAAAA9tYAAQAAAADTLXRleHQAAAAAQ0MwAFhZWiAAAAAAAACD3gAAPb////+4WFlaIAAAAAAAAErBAACxNAAACrpYWVog\
      AAAAAAAAKDgAABENAADIu2N1cnYAAAAAAAAAAQIzAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4n\
      ICIsIxwcKDcpLDAxNDQ0Hyc5PTgyPC4zNDL/2wBDAQkJCQwLDBgNDRgyIRwhMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIy\
      MjIyMjIyMjIyMjIyMjIyMjIyMjL/wAARCAAQABADASIAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QA\
      tRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6\
      Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJ\
      ytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQD\
      BAcFBAQAAQJ3AAECAxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElK\
      U1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX\
      2Nna4uPk5ebn6Onq8vP09fb3+Pn6/9oADAMBAAIRAxEAPwCOiiivmj7A/9k=
      """
    ),
    (
      "PNG",
      """
      iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAYAAAAf8/9hAAAAHUlEQVR4nGM8kWL0n4ECwESJ5lEDRg0YNWAwGQAA2UUCfRoxs2gA\
      AAAASUVORK5CYII=
      """
    ),
    (
      "GIF",
      """
      R0lGODdhEAAQAIEAAMhkMgAAAAAAAAAAACwAAAAAEAAQAEAIHQABCBxIsKDBgwgTKlzIsKHDhxAjSpxIsaLFgQEBADs=
      """
    ),
    (
      "WebP",
      """
      UklGRjoAAABXRUJQVlA4IC4AAADwAQCdASoQABAAAUAmJaACdLoB+AAEyAAA/q4X/zYEDND6YP/SbPE2eJs+OYAA
      """
    ),
    (
      "AVIF",
      """
      AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUIAAADrbWV0YQAAAAAAAAAhaGRscgAAAAAAAAAAcGljdAAAAAAAAAAAAAAA\
      AAAAAAAOcGl0bQAAAAAAAQAAAB5pbG9jAAAAAEQAAAEAAQAAAAEAAAETAAAAJQAAAChpaW5mAAAAAAABAAAAGmluZmUCAAAAAAEA\
      AGF2MDFDb2xvcgAAAABqaXBycAAAAEtpcGNvAAAAFGlzcGUAAAAAAAAAEAAAABAAAAAQcGl4aQAAAAADCAgIAAAADGF2MUOBAAwA\
      AAAAE2NvbHJuY2x4AAEADQAGgAAAABdpcG1hAAAAAAAAAAEAAQQBAoMEAAAALW1kYXQSAAoJGAz/2iAhoNCAMhYcR4eF3dNNNMLA\
      AAB1fVmzlEctw7Wk
      """
    ),
    (
      "HEIC",
      """
      AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAXxtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAA\
      ACJpbG9jAAAAAERAAAEAAQAAAAABoAABAAAAAAAAACgAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABodmMxAAAAAA5waXRt\
      AAAAAAABAAAA/GlwcnAAAADcaXBjbwAAAHVodmNDAQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMA\
      AAMAHroCQGEAAQApQgEBA3AAAAMAkAAAAwAAAwAeoCCBBZbqrprm4CGgwIAAAAyAAAADAIRiAAEABkQBwXPBiQAAABNjb2xybmNs\
      eAABAA0ABoAAAAAUaXNwZQAAAAAAAABAAAAAQAAAAChjbGFwAAAAEAAAAAEAAAAQAAAAAf///9AAAAAC////0AAAAAIAAAAQcGl4\
      aQAAAAADCAgIAAAAGGlwbWEAAAAAAAAAAQABBYECAwWEAAAAMG1kYXQAAAAkKAGvGSE5Eu9dpb/3iP+XpX83W3ymSqaXBNeImQsD\
      gYCNkZ04
      """
    ),
  ]

  /// Text in the common families and styles, so that their fonts are open, a filter (its threads ask the kernel how many
  /// processors there are), and an embedded picture of each kind.
  private static var drawing: [UInt8] {
    var text = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 64 64\">"
    for family in ["sans-serif", "serif", "monospace"] {
      for style in ["", "font-weight=\"bold\"", "font-style=\"italic\""] {
        text += "<text y=\"40\" font-family=\"\(family)\" \(style)>Aä1</text>"
      }
    }
    for (name, type) in [("JPEG", "image/jpeg"), ("PNG", "image/png")] {
      guard let picture = encoded.first(where: { $0.name == name }) else { continue }
      text += "<image width=\"9\" height=\"9\" href=\"data:\(type);base64,\(picture.text)\"/>"
    }
    text +=
      "<filter id=\"f\"><feGaussianBlur stdDeviation=\"20\"/></filter><rect width=\"9\" height=\"9\" filter=\"url(#f)\"/>"
    return Array((text + "</svg>").utf8)
  }
}

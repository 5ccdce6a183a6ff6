import AvatarCore
import FoundationEssentials

/// The page at `/` of the control side: one document with its style and its script in it, which loads nothing from anywhere else.
///
/// The document is open to whoever reaches the control side; what it shows comes from `/v1/stats` and `/v1/inspect`, past the guard.
enum StatusPage {
  /// The page as an answer. `asksForToken` has it ask before its first request.
  static func reply(asksForToken: Bool, hashing: any Hashing) -> HTTPReply {
    HTTPReply(
      status: 200,
      headers: [
        HeaderField("Content-Type", "text/html; charset=utf-8"),
        HeaderField("Content-Security-Policy", policy(hashing)),
        HeaderField("Cache-Control", "no-store"),
        HeaderField("Cross-Origin-Opener-Policy", "same-origin"),
        HeaderField("Cross-Origin-Resource-Policy", "same-origin"),
        HeaderField("Referrer-Policy", "no-referrer"),
        HeaderField("X-Content-Type-Options", "nosniff"),
        HeaderField("X-Frame-Options", "DENY"),
      ], body: Array(document(asksForToken: asksForToken).utf8))
  }

  /// Nothing but this very script and style runs, by their hashes; nothing is loaded but avatars as data URIs; nobody frames it.
  private static func policy(_ hashing: any Hashing) -> String {
    func source(_ text: String) -> String {
      "'sha256-" + Data(hashing.sha256(Array(text.utf8)).bytes).base64EncodedString() + "'"
    }
    return "default-src 'none'; script-src \(source(PageScript.text)); style-src \(source(PageStyle.text)); "
      + "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  }

  private static func document(asksForToken: Bool) -> String {
    """
    <!doctype html>
    <html lang="en" data-token="\(asksForToken ? "required" : "none")">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(Product.name)</title>
    <link rel="icon" href="data:,">
    <style>\(PageStyle.text)</style>
    </head>
    \(PageMarkup.body)
    <script>\(PageScript.text)</script>
    </html>

    """
  }
}

import AvatarCore

/// The answers of `/healthz`.
enum HealthReply {
  /// 200 while the process lives.
  static let alive = HTTPReply(
    status: 200,
    headers: [
      HeaderField("Content-Type", "text/plain; charset=utf-8"), HeaderField("Cache-Control", "no-store"),
      HeaderField("X-Content-Type-Options", "nosniff"),
    ], body: Array("ok\n".utf8))
}

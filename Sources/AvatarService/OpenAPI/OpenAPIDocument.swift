import AvatarCore

/// `/openapi.json`: both sides as OpenAPI 3.1. The statuses, codes and titles of errors are the code's own.
enum OpenAPIDocument {
  /// The document as JSON text.
  static let text = """
    {
    "openapi": "3.1.0",
    "info": {
      "title": "\(Product.name)",
      "version": "\(Product.version)",
      "summary": "Fetches, normalizes, caches and serves avatars for notifications.",
      "description": "The control side (prefetch, purge, inspect, numbers, health) and the public side (avatars and objects; what a CDN sees). Every error is application/problem+json with a stable code."
    },
    "servers": [{"url": "/", "description": "The control side, controlListen"}],
    "tags": [
      {"name": "control", "description": "For the backend and for operators"},
      {"name": "watch", "description": "Health, numbers and this description"},
      {"name": "public", "description": "For phones and CDNs"}
    ],
    "paths": {
    \(([OpenAPIControlPaths.text, OpenAPIPublicPaths.text]).joined(separator: ",\n"))
    },
    "components": {
      "securitySchemes": {
        "bearer": {"type": "http", "scheme": "bearer",
          "description": "One of controlTokens. Where none is configured nothing is asked for, and only this machine's own programs get in."}
      },
      "headers": {
        "requestID": {"description": "The caller's X-Request-Id where it was well formed (1 to 128 of A-Z a-z 0-9 - . _), else one made here; the log's lines have it too", "schema": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,128}$"}}
      },
      "schemas": {
    \(([OpenAPISchemas.text, OpenAPIInspectionSchemas.text, OpenAPIStatsSchemas.text]).joined(separator: ",\n"))
      }
    }
    }

    """

  /// What any request to the control side may meet before it is looked at.
  static let everywhere: [AvatarError.Code] = [
    .invalidRequest, .hostNotAllowed, .methodNotAllowed, .bodyTooLarge, .uriTooLong, .internalFault, .overloaded,
  ]
  /// What any request to `/v1` may meet.
  static let guarded: [AvatarError.Code] = everywhere + [.unauthorized]
  /// What any POST to `/v1` may meet.
  static let posted: [AvatarError.Code] = guarded + [.unsupportedMediaType]

  /// The members of `responses` for errors with these codes: one for each status, with the codes that come with it.
  static func errors(_ codes: [AvatarError.Code]) -> String {
    let statuses = Set(codes.map(\.status)).sorted()
    return statuses.map { status in
      let own = AvatarError.Code.allCases.filter { $0.status == status && codes.contains($0) }
      let names = own.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
      let titles = own.map { "`\($0.rawValue)`: \($0.title)." }.joined(separator: " ")
      return """
        "\(status)": {"description": "\(titles)", "content": {"application/problem+json": {"schema": {"allOf": [{"$ref": "#/components/schemas/Problem"}, {"properties": {"status": {"const": \(status)}, "code": {"enum": [\(names)]}}}]}}}}
        """
    }.joined(separator: ",\n")
  }

  /// The members of `responses` for statuses that carry a JSON value of the schema `name`.
  static func answers(_ name: String, _ statuses: (status: Int, meaning: String)...) -> String {
    statuses.map { status, meaning in
      """
      "\(status)": {"description": "\(meaning)", "headers": {"X-Request-Id": {"$ref": "#/components/headers/requestID"}}, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/\(name)"}}}}
      """
    }.joined(separator: ",\n")
  }
}

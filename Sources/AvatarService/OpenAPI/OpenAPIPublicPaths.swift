import AvatarCore

/// The public side's paths of the OpenAPI description, and `/healthz`, which both sides have.
enum OpenAPIPublicPaths {
  static let text = """
    "/avatar/{signature}/{sources}.jpg": {
      \(servers),
      "parameters": [
        {"name": "signature", "in": "path", "required": true, "description": "Unpadded base64url of the first 16 bytes of HMAC-SHA256(key, \\"/{sources}.jpg\\"); `unsigned` where unsigned URLs are allowed", "schema": {"type": "string", "minLength": 1}},
        {"name": "sources", "in": "path", "required": true, "description": "Unpadded base64url of lines: an optional `fit=contain`, then one to four source URLs, best first", "schema": {"type": "string", "minLength": 1}},
        {"name": "v", "in": "query", "required": false, "description": "The first 16 hexadecimal digits of a content hash: while the avatar still has that content the answer may be kept for good; anything else is ignored", "schema": {"type": "string"}}
      ],
      "get": {
        "operationId": "avatar", "tags": ["public"],
        "summary": "An avatar",
        "description": "HEAD answers the same without a body. Conditional requests follow RFC 9110; `only-if-cached` never asks the origin.",
        "responses": {
    \(picture("The avatar", cacheStatus: true)),
    \(OpenAPIDocument.errors(failures + [.invalidSignature, .unsignedNotAllowed]))
        }
      }
    },
    "/avatar": {
      \(servers),
      "parameters": [
        {"name": "src", "in": "query", "required": true, "description": "One to four source URLs, best first", "style": "form", "explode": true, "schema": {"type": "array", "minItems": 1, "maxItems": 4, "items": {"$ref": "#/components/schemas/SourceURL"}}},
        {"name": "fit", "in": "query", "required": false, "schema": {"$ref": "#/components/schemas/Fit"}}
      ],
      "get": {
        "operationId": "avatarUnsigned", "tags": ["public"],
        "summary": "An avatar by unsigned sources, where those are allowed",
        "responses": {
    \(picture("The avatar", cacheStatus: true)),
    \(OpenAPIDocument.errors(failures + [.unsignedNotAllowed]))
        }
      }
    },
    "/o/{sha256}.jpg": {
      \(servers),
      "parameters": [
        {"name": "sha256", "in": "path", "required": true, "description": "The content hash, 64 hexadecimal digits in lower case", "schema": {"type": "string", "pattern": "^[0-9a-f]{64}$"}}
      ],
      "get": {
        "operationId": "object", "tags": ["public"],
        "summary": "An object by its hash; may be kept for good",
        "responses": {
    \(picture("The object", cacheStatus: false)),
    \(OpenAPIDocument.errors(everywhere))
        }
      }
    },
    "/healthz": {"get": {
      "operationId": "alive", "tags": ["watch"],
      "summary": "200 while the process lives; on both sides",
      "responses": {
        "200": {"description": "Alive", "content": {"text/plain": {"schema": {"type": "string", "const": "ok\\n"}}}},
    \(OpenAPIDocument.errors(OpenAPIDocument.everywhere))
      }
    }}
    """

  private static let servers = """
    "servers": [{"url": "{publicBaseURL}", "description": "The public side", "variables": {"publicBaseURL": {"default": "http://127.0.0.1:8080", "description": "As configured"}}}]
    """

  private static let everywhere: [AvatarError.Code] = [
    .invalidRequest, .notFound, .methodNotAllowed, .bodyTooLarge, .uriTooLong, .internalFault, .overloaded,
  ]

  private static let failures: [AvatarError.Code] =
    everywhere + [
      .invalidSourceURL, .tooManySources, .hostNotAllowed, .addressNotAllowed, .originNotFound, .imageUnsupported,
      .imageCorrupt, .imageTooManyPixels, .sourceTooLarge, .sourceEmpty, .originUnreachable, .originTLSFailed,
      .originStatus, .originRedirect, .originProtocol, .originThrottled, .originTimedOut, .budgetExceeded, .notCached,
    ]

  private static func picture(_ meaning: String, cacheStatus: Bool) -> String {
    let more =
      cacheStatus
      ? """
      , "Last-Modified": {"schema": {"type": "string"}}, "Cache-Status": {"description": "RFC 9211", "schema": {"type": "string"}}
      """ : ""
    return """
      "200": {"description": "\(meaning): a baseline sRGB JPEG, a square, without metadata", "headers": {"ETag": {"description": "The content's SHA-256, quoted", "schema": {"type": "string", "pattern": "^\\"[0-9a-f]{64}\\"$"}}, "Cache-Control": {"schema": {"type": "string"}}\(more)}, "content": {"image/jpeg": {"schema": {}}}},
      "304": {"description": "What the client has is still right"}
      """
  }
}

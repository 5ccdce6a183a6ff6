import AvatarCore

/// The control side's paths of the OpenAPI description.
enum OpenAPIControlPaths {
  static let text = """
    "/v1/prefetch": {"post": {
      "operationId": "prefetch", "tags": ["control"], "security": [{"bearer": []}],
      "summary": "Has avatars made before anybody asks for them",
      "description": "Idempotent. What is not there after `wait` is pending and goes on behind. An invalid source fails its own avatar alone.",
      "requestBody": \(body("PrefetchOrder")),
      "responses": {
    \(OpenAPIDocument.answers("PrefetchAnswer", (200, "All are settled"), (202, "Some go on behind"))),
    \(OpenAPIDocument.errors(OpenAPIDocument.posted))
      }
    }},
    "/v1/notifications": {"post": {
      "operationId": "notifications", "tags": ["control"], "security": [{"bearer": []}],
      "summary": "Rewrites a push payload so that its avatars are ready",
      "description": "Beside what is replaced every byte of the payload stays as it was; payloads that are no chat's come back as they came.",
      "requestBody": \(body("NotificationsOrder")),
      "responses": {
    \(OpenAPIDocument.answers("NotificationsAnswer", (200, "All avatars are settled"), (202, "Some go on behind"))),
    \(OpenAPIDocument.errors(OpenAPIDocument.posted))
      }
    }},
    "/v1/purge": {"post": {
      "operationId": "purge", "tags": ["control"], "security": [{"bearer": []}],
      "summary": "Takes avatars out of the cache, or marks them stale",
      "description": "Holds in every process on the cache directory within 2 s. A flight older than the purge does not store.",
      "requestBody": \(body("PurgeOrder")),
      "responses": {
    \(OpenAPIDocument.answers("PurgeAnswer", (200, "How much was found"))),
    \(OpenAPIDocument.errors(OpenAPIDocument.posted + [.invalidSourceURL]))
      }
    }},
    "/v1/inspect": {
      "parameters": [
        {"name": "src", "in": "query", "required": true, "description": "The source URL, once",
          "schema": {"$ref": "#/components/schemas/SourceURL"}},
        {"name": "fit", "in": "query", "required": false, "schema": {"$ref": "#/components/schemas/Fit"}}
      ],
      "get": {
        "operationId": "inspect", "tags": ["control"], "security": [{"bearer": []}],
        "summary": "Shows every step for one avatar",
        "description": "Asks the origin, decodes, and says in one sentence what came of it; a failure is answered with 200, for it is what is looked for. Touches no cache. Shows no secret and none of the origin's bytes.",
        "responses": {
    \(OpenAPIDocument.answers("Inspection", (200, "What was found"))),
    \(OpenAPIDocument.errors(OpenAPIDocument.guarded + [.invalidSourceURL, .tooManySources]))
        }
      },
      "post": {
        "operationId": "inspectAndStore", "tags": ["control"], "security": [{"bearer": []}],
        "summary": "The same, and stores the avatar",
        "requestBody": {"required": true, "description": "Nothing of it is read", "content": {"application/json": {"schema": {}, "example": {}}}},
        "responses": {
    \(OpenAPIDocument.answers("Inspection", (200, "What was found"))),
    \(OpenAPIDocument.errors(OpenAPIDocument.posted + [.invalidSourceURL, .tooManySources]))
        }
      }
    },
    "/v1/stats": {"get": {
      "operationId": "stats", "tags": ["watch"], "security": [{"bearer": []}],
      "summary": "What the page shows",
      "responses": {
    \(OpenAPIDocument.answers("Stats", (200, "The numbers now"))),
    \(OpenAPIDocument.errors(OpenAPIDocument.guarded))
      }
    }},
    "/metrics": {"get": {
      "operationId": "metrics", "tags": ["watch"],
      "summary": "Prometheus text",
      "responses": {
        "200": {"description": "Text format 0.0.4; no URL and no host in a label", "content": {"text/plain": {"schema": {"type": "string"}}}},
    \(OpenAPIDocument.errors(OpenAPIDocument.everywhere))
      }
    }},
    "/readyz": {"get": {
      "operationId": "ready", "tags": ["watch"],
      "summary": "Whether requests are served, and what is degraded",
      "responses": {
    \(OpenAPIDocument.answers("Readiness", (200, "Ready"), (503, "Not ready: workers not up, or draining"))),
    \(OpenAPIDocument.errors(OpenAPIDocument.everywhere.filter { $0.status != 503 }))
      }
    }},
    "/openapi.json": {"get": {
      "operationId": "openapi", "tags": ["watch"],
      "summary": "This description",
      "responses": {
        "200": {"description": "OpenAPI 3.1", "content": {"application/json": {"schema": {"type": "object", "required": ["openapi"]}}}},
    \(OpenAPIDocument.errors(OpenAPIDocument.everywhere))
      }
    }},
    "/": {"get": {
      "operationId": "page", "tags": ["watch"],
      "summary": "The page for people",
      "responses": {
        "200": {"description": "HTML; its data comes from /v1, past the guard", "content": {"text/html": {"schema": {"type": "string"}}}},
    \(OpenAPIDocument.errors(OpenAPIDocument.everywhere))
      }
    }}
    """

  private static func body(_ name: String) -> String {
    """
    {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/\(name)"}}}}
    """
  }
}

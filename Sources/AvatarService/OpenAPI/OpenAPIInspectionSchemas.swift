/// What `/v1/inspect` says, as JSON Schemas.
enum OpenAPIInspectionSchemas {
  static let text = """
    "Inspection": {
      "type": "object", "required": ["source", "key", "fit", "answerNow", "summary", "steps", "elapsedMilliseconds"],
      "properties": {
        "source": {"type": "string", "description": "The URL as it was read, without its query"},
        "key": {"type": "string", "pattern": "^[0-9a-f]{64}$", "description": "The cache key"},
        "fit": {"$ref": "#/components/schemas/Fit"},
        "identityRule": {"type": "string", "description": "The hosts of the identity rule that applies"},
        "answerNow": {"type": "string", "description": "What a GET would answer now"},
        "summary": {"type": "string", "minLength": 1, "description": "One sentence on what came of it"},
        "code": {"type": "string", "enum": [\(OpenAPISchemas.codes)], "description": "Absent where there is a picture"},
        "originStatus": {"type": "integer", "minimum": 100, "maximum": 999, "description": "The origin's status where it was an error"},
        "declaredType": {"type": "string", "description": "The origin's Content-Type"},
        "foundType": {"type": "string", "description": "What the first bytes look like"},
        "sourceBytes": {"type": "integer", "minimum": 0},
        "header": {"type": "object", "description": "What the picture's header claims",
          "required": ["format", "width", "height", "frames", "orientation", "isDecodedWhole"],
          "properties": {
            "format": {"enum": ["jpeg", "png", "gif", "webp", "avif", "heic", "svg"]},
            "width": {"type": "integer"}, "height": {"type": "integer"}, "frames": {"type": "integer"},
            "orientation": {"type": "integer", "minimum": 1, "maximum": 8}, "isDecodedWhole": {"type": "boolean"}}},
        "image": {"type": "object", "description": "What the worker saw and made",
          "required": ["format", "width", "height", "orientation", "usedProfile", "hasAlpha", "frames", "sourceBytes", "bytes", "side", "quality", "queuedMilliseconds", "decodeMilliseconds"],
          "properties": {
            "format": {"enum": ["jpeg", "png", "gif", "webp", "avif", "heic", "svg"]},
            "width": {"type": "integer"}, "height": {"type": "integer"},
            "orientation": {"type": "integer", "minimum": 1, "maximum": 8},
            "usedProfile": {"type": "boolean", "description": "Whether an embedded ICC profile was used"},
            "hasAlpha": {"type": "boolean"}, "frames": {"type": "integer"}, "sourceBytes": {"type": "integer"},
            "bytes": {"type": "integer"}, "side": {"type": "integer"}, "quality": {"type": "integer"},
            "queuedMilliseconds": {"type": "integer"}, "decodeMilliseconds": {"type": "integer"}}},
        "freshness": {"type": "object",
          "required": ["why", "cacheControl", "ageSeconds", "freshForSeconds", "staleWhileRevalidateSeconds", "staleIfErrorSeconds", "mayBeKeptByOthers"],
          "properties": {
            "why": {"type": "string", "description": "One sentence"},
            "cacheControl": {"type": "array", "items": {"type": "string"}},
            "originLifetimeSeconds": {"type": "integer"}, "ageSeconds": {"type": "integer"},
            "freshForSeconds": {"type": "integer"}, "staleWhileRevalidateSeconds": {"type": "integer"},
            "staleIfErrorSeconds": {"type": "integer"}, "mayBeKeptByOthers": {"type": "boolean"}}},
        "steps": {"type": "array", "items": {"type": "object", "required": ["step", "atMilliseconds", "facts"],
          "properties": {
            "step": {"enum": ["address", "connect", "tls", "hop", "body", "error"]},
            "atMilliseconds": {"type": "number", "minimum": 0},
            "facts": {"type": "object", "additionalProperties": {"type": "string"}}}}},
        "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        "avatar": {"type": "string", "pattern": "^data:image/jpeg;base64,"},
        "stored": {"type": "boolean", "description": "POST only, and only where there is a picture"},
        "elapsedMilliseconds": {"type": "number", "minimum": 0}
      }
    }
    """
}

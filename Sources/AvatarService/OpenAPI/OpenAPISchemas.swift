import AvatarCore

/// What goes in and out of the control side, as JSON Schemas.
enum OpenAPISchemas {
  static let text = """
    "Problem": {
      "type": "object", "description": "RFC 9457", "required": ["type", "title", "status", "code"],
      "properties": {
        "type": {"type": "string", "pattern": "^urn:avatar-server:error:[a-z_]+$"},
        "title": {"type": "string", "description": "For people"},
        "status": {"type": "integer"},
        "code": {"type": "string", "description": "Stable; branch on this", "enum": [\(codes)]}
      }
    },
    "SourceURL": {"type": "string", "minLength": 8, "maxLength": 4096, "pattern": "^[Hh][Tt][Tt][Pp][Ss]?://.", "description": "An absolute http or https URL"},
    "Fit": {"type": "string", "enum": ["cover", "contain"], "description": "cover crops to the centre square, contain shows the whole picture on the background"},
    "Wait": {"type": ["string", "null"], "pattern": "^[0-9]+(\\\\.[0-9]+)?(ms|s|m|h|d)$", "description": "A duration such as 800ms, to requestBudget", "examples": ["0s", "800ms"]},
    "PrefetchOrder": {
      "type": "object", "description": "Either avatars or urls",
      "properties": {
        "avatars": {"type": ["array", "null"], "minItems": 1, "maxItems": 256, "items": {"$ref": "#/components/schemas/AvatarOrder"}},
        "urls": {"type": ["array", "null"], "minItems": 1, "maxItems": 256, "items": {"type": "string", "description": "The one source of an avatar"}},
        "wait": {"$ref": "#/components/schemas/Wait"},
        "refresh": {"type": ["boolean", "null"], "description": "Revalidate even what is fresh: the user has just changed the picture"}
      },
      "oneOf": [
        {"required": ["avatars"], "properties": {"avatars": {"type": "array"}, "urls": {"type": "null"}}},
        {"required": ["urls"], "properties": {"urls": {"type": "array"}, "avatars": {"type": "null"}}}
      ],
      "example": {"avatars": [{"sources": ["https://chat.example/group.png", "https://chat.example/sender.png"]}], "wait": "800ms"}
    },
    "AvatarOrder": {
      "type": "object", "required": ["sources"],
      "properties": {
        "sources": {"type": "array", "items": {"type": "string"}, "description": "One to four source URLs, best first; anything else fails this avatar alone"},
        "fit": {"type": ["string", "null"], "description": "cover or contain; anything else fails this avatar alone"}
      }
    },
    "PrefetchAnswer": {
      "type": "object", "required": ["avatars"],
      "properties": {"avatars": {"type": "array", "description": "In the order of the call", "items": {"$ref": "#/components/schemas/PrefetchResult"}}}
    },
    "PrefetchResult": {
      "type": "object", "required": ["status"],
      "properties": {
        "status": {"enum": ["ready", "pending", "failed"]},
        "avatarURL": {"type": "string", "description": "Self-contained; with ?v= when ready"},
        "objectURL": {"type": "string"},
        "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        "bytes": {"type": "integer", "minimum": 1},
        "width": {"type": "integer", "minimum": 16, "maximum": 1024},
        "source": {"type": "integer", "minimum": 0, "maximum": 3, "description": "Which of the sources it is"},
        "cache": {"enum": ["hit", "stale", "miss"]},
        "freshUntil": {"type": "string", "format": "date-time"},
        "error": {"type": "object", "required": ["code"], "properties": {
          "code": {"type": "string", "enum": [\(codes)]},
          "retryAfter": {"type": "integer", "minimum": 1, "description": "Seconds"}}}
      },
      "oneOf": [
        {"required": ["avatarURL", "sha256", "bytes", "width", "source", "cache", "freshUntil"], "properties": {"status": {"const": "ready"}}},
        {"required": ["avatarURL"], "properties": {"status": {"const": "pending"}}},
        {"required": ["error"], "properties": {"status": {"const": "failed"}}}
      ]
    },
    "NotificationsOrder": {
      "type": "object", "required": ["payload"],
      "properties": {
        "payload": {"description": "Any JSON value"},
        "wait": {"$ref": "#/components/schemas/Wait"},
        "prefer": {"type": ["string", "null"], "enum": ["avatar", "object", null]}
      },
      "example": {"payload": {"data": {"type": "chat_message", "sender_name": "Ada"}}, "wait": "0s"}
    },
    "NotificationsAnswer": {
      "type": "object", "required": ["payload", "decision", "avatars", "sizes"],
      "properties": {
        "payload": {"description": "The payload with its avatars in it"},
        "decision": {"type": "object",
          "required": ["kind", "isReaction", "groupStyle", "conversationID", "senderID", "senderName", "groupName", "message", "itemID"],
          "properties": {
            "kind": {"enum": ["single", "group", "event", "forum", "other"]},
            "isReaction": {"type": "boolean"}, "groupStyle": {"type": "boolean"},
            "conversationID": {"type": ["string", "null"]}, "senderID": {"type": ["string", "null"]},
            "senderName": {"type": ["string", "null"]}, "groupName": {"type": ["string", "null"]},
            "message": {"type": ["string", "null"]}, "itemID": {"type": ["string", "null"]}}},
        "avatars": {"type": "array", "items": {"allOf": [{"$ref": "#/components/schemas/PrefetchResult"},
          {"required": ["role"], "properties": {"role": {"enum": ["group", "event", "sender"]}}}]}},
        "sizes": {"type": "object", "required": ["data", "payload", "fits"], "properties": {
          "data": {"type": "integer", "minimum": 0}, "payload": {"type": "integer", "minimum": 0},
          "delivered": {"type": "integer", "minimum": 0}, "fits": {"type": "boolean"}, "warning": {"type": "string"}}}
      }
    },
    "PurgeOrder": {
      "type": "object", "description": "Exactly one of sources, sha256 and host",
      "properties": {
        "sources": {"type": ["array", "null"], "minItems": 1, "maxItems": 256, "items": {"$ref": "#/components/schemas/SourceURL"}},
        "sha256": {"type": ["string", "null"], "pattern": "^[0-9a-f]{64}$"},
        "host": {"type": ["string", "null"], "description": "A name, an address, or *.example.com", "pattern": "^[^/@?#]+$"},
        "soft": {"type": ["boolean", "null"], "description": "Mark stale rather than remove"}
      },
      "oneOf": [
        {"required": ["sources"], "properties": {"sources": {"type": "array"}, "sha256": {"type": "null"}, "host": {"type": "null"}}},
        {"required": ["sha256"], "properties": {"sha256": {"type": "string"}, "sources": {"type": "null"}, "host": {"type": "null"}}},
        {"required": ["host"], "properties": {"host": {"type": "string"}, "sources": {"type": "null"}, "sha256": {"type": "null"}}}
      ],
      "example": {"host": "*.example.com", "soft": true}
    },
    "PurgeAnswer": {
      "type": "object", "required": ["entries", "objects"],
      "properties": {"entries": {"type": "integer", "minimum": 0}, "objects": {"type": "integer", "minimum": 0}}
    },
    "Readiness": {
      "type": "object", "required": ["ready", "degraded"],
      "properties": {"ready": {"type": "boolean"}, "degraded": {"type": "array", "items": {"type": "string"}}}
    }
    """

  /// Every code, quoted.
  static let codes = AvatarError.Code.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
}

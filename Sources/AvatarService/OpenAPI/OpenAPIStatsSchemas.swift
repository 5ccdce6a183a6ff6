/// What `/v1/stats` says, as JSON Schemas.
enum OpenAPIStatsSchemas {
  static let text = """
    "Latency": {
      "type": "object", "description": "Milliseconds", "required": ["p50", "p90", "p99"],
      "properties": {"p50": {"type": "number"}, "p90": {"type": "number"}, "p99": {"type": "number"}}
    },
    "Tier": {
      "type": "object", "required": ["objects", "bytes", "evictions"],
      "properties": {
        "objects": {"type": "integer"}, "bytes": {"type": "integer"}, "evictions": {"type": "integer"},
        "capacityBytes": {"type": "integer", "description": "The most that it may hold"}}
    },
    "Stats": {
      "type": "object",
      "required": ["version", "uptimeSeconds", "live", "routes", "memory", "disk", "diskEntries", "diskWritable", "workers", "fetches", "connections", "pendingPrefetches", "rememberedFailures", "hostsThrottled", "breakersOpen", "errors", "failures"],
      "properties": {
        "version": {"type": "string"},
        "uptimeSeconds": {"type": "integer"},
        "live": {"type": "object", "description": "Ten to fifteen seconds where somebody looked meanwhile, else since the last look or the start",
          "required": ["seconds", "requestsPerSecond", "fetchesPerSecond", "routes", "latency"],
          "properties": {
            "seconds": {"type": "number", "description": "The time that it covers"},
            "requestsPerSecond": {"type": "number"}, "fetchesPerSecond": {"type": "number"},
            "hitRatio": {"type": "number", "minimum": 0, "maximum": 1},
            "routes": {"type": "object", "description": "Requests per second", "additionalProperties": {"type": "number"}},
            "latency": {"type": "object", "description": "Avatars by the cache's part: hit, stale, miss, collapsed, none", "additionalProperties": {"$ref": "#/components/schemas/Latency"}}}},
        "routes": {"type": "object", "description": "Since the start", "additionalProperties": {"type": "object", "required": ["requests"],
          "properties": {"requests": {"type": "integer"}, "latency": {"$ref": "#/components/schemas/Latency"}}}},
        "hitRatio": {"type": "number", "minimum": 0, "maximum": 1},
        "memory": {"$ref": "#/components/schemas/Tier"},
        "disk": {"$ref": "#/components/schemas/Tier"},
        "diskEntries": {"type": "integer"},
        "diskWritable": {"type": "boolean"},
        "workers": {"type": "object", "required": ["busy", "up", "count", "queued", "restarts"], "properties": {
          "busy": {"type": "integer"}, "up": {"type": "integer"}, "count": {"type": "integer"}, "queued": {"type": "integer"},
          "restarts": {"type": "object", "description": "By reason", "additionalProperties": {"type": "integer"}}}},
        "fetches": {"type": "object", "required": ["inFlight", "queued"], "properties": {
          "inFlight": {"type": "integer"}, "queued": {"type": "integer"}}},
        "connections": {"type": "integer"},
        "pendingPrefetches": {"type": "integer"},
        "rememberedFailures": {"type": "integer"},
        "hostsThrottled": {"type": "integer"},
        "breakersOpen": {"type": "integer"},
        "errors": {"type": "object", "description": "Answers with an error since the start, by code", "additionalProperties": {"type": "integer"}},
        "failures": {"type": "array", "description": "Newest first, one for each code and host", "items": {"type": "object",
          "required": ["code", "host", "count", "first", "last"], "properties": {
            "code": {"type": "string", "enum": [\(OpenAPISchemas.codes)]},
            "host": {"type": "string", "description": "Without path or port"},
            "originStatus": {"type": "integer"}, "count": {"type": "integer", "minimum": 1},
            "first": {"type": "string", "format": "date-time"}, "last": {"type": "string", "format": "date-time"}}}}
      }
    }
    """
}

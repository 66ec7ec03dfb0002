import JSON

/// The schemas of response documents (JSON Schema 2020-12).
enum OpenAPISchemas {
    static let all: JSON = [
        "Problem": problem, "Item": item, "Page": page, "Sheet": sheet, "History": history,
        "Explanation": explanation, "Status": status, "Service": service,
    ]

    static func reference(_ name: String) -> JSON {
        ["$ref": .text("#/components/schemas/\(name)")]
    }

    private static let problem: JSON = object(
        [
            "type": ["type": "string", "pattern": "^urn:vitrine:problem:[a-z0-9-]+$"],
            "title": text, "status": ["type": "integer", "minimum": 400, "maximum": 599],
            "detail": text, "message": text, "source": text, "retryAfter": nullable("integer"),
        ], optional: ["source"])

    private static let item: JSON = {
        let link = object([
            "url": text, "width": ["type": "integer"], "height": ["type": "integer"],
            "box": ["type": "boolean"],
        ])
        return object(
            [
                "id": text, "item": text, "title": text, "language": nullable("string"),
                "subtitle": nullable("string"), "objectNumber": nullable("string"),
                "date": nullable("string"), "genres": array(text), "summary": nullable("string"),
                "link": nullable("string"), "rights": nullable("string"),
                "favorite": ["type": "boolean"], "tracks": array(["type": "object"]),
                "medium": text, "type": text, "technique": text, "material": text,
                "dimensions": text, "creditLine": text,
                "followers": ["type": "integer"], "trackCount": ["type": "integer"],
                "milliseconds": ["type": "integer"],
                "original": size,
                "failure": [
                    "type": "string",
                    "enum": [
                        "absent", "unavailable", "timedOut", "rejected", "unfinished", "refused",
                    ],
                ],
                "problem": object([
                    "message": text, "cause": text, "retryAfter": nullable("integer"),
                ]),
                "detail": ["anyOf": [object(["item": text]), ["type": "null"]]],
                "aspectRatio": nullable("number"), "thumbhash": nullable("string"),
                "color": ["type": ["string", "null"], "pattern": "^#[0-9a-f]{6}$"],
                "thumbnails": ["type": "object", "additionalProperties": link], "srcset": text,
            ],
            optional: [
                "favorite", "tracks", "medium", "type", "technique", "material", "dimensions",
                "creditLine", "followers", "trackCount", "milliseconds", "original", "failure",
                "problem",
            ])
    }()

    private static let page: JSON = object(
        [
            "items": array(reference("Item")), "next": nullable("string"),
            "total": nullable("integer"),
            "totalOf": ["type": "string", "enum": ["list", "matches"]],
            "searchedPages": ["type": "integer", "minimum": 1],
            "directories": array(object(["dir": text, "url": text])),
            "stale": ["type": "boolean"], "fetchedAt": date, "expiresAt": date,
        ], optional: ["searchedPages", "directories"])

    private static let sheet: JSON = {
        let number: JSON = ["type": "integer", "minimum": 0]
        return object([
            "image": object(["url": text, "width": number, "height": number]),
            "items": array(
                object([
                    "item": text, "x": number, "y": number, "width": number, "height": number,
                    "placeholder": ["type": "boolean"],
                ])),
        ])
    }()

    private static let history: JSON = object([
        "searches": array(
            object([
                "source": text, "list": text, "term": text, "url": text, "searchedAt": date,
                "parameters": ["type": "object", "additionalProperties": text],
            ]))
    ])

    private static let service: JSON = {
        let level = object([
            "name": text, "width": ["type": "integer"], "height": ["type": "integer"],
            "fit": choice("contain", "cover", "ground"),
        ])
        let list = object([
            "name": text, "title": text, "url": text, "parameters": array(text),
            "required": array(text), "filters": array(text), "search": nullable("string"),
        ])
        let source = object([
            "name": text, "title": text, "lists": array(list), "missing": nullable("string"),
            "kinds": array(object(["name": text, "title": text])),
        ])
        return object([
            "levels": array(level), "formats": array(text), "sources": array(source),
        ])
    }()

    private static let status: JSON = {
        let part = object(["bytes": ["type": "integer"], "limit": nullable("integer")])
        let run = object([
            "name": text, "title": text, "source": nullable("string"), "list": nullable("string"),
            "done": ["type": "integer"], "total": nullable("integer"),
            "perSecond": nullable("number"),
        ])
        return object([
            "hitRatio": nullable("number"), "hitRatioSeconds": ["type": "integer"],
            "requests": ["type": "integer"], "requestsPerSecond": ["type": "number"],
            "disk": part, "memory": part, "warming": array(run),
            "sources": array(object(["name": text, "missing": nullable("string")])),
        ])
    }()

    private static let explanation: JSON = {
        let candidate = object([
            "label": text, "host": nullable("string"),
            "state": choice("chosen", "failed", "remembered", "stored", "untried"),
            "reason": nullable("string"), "size": ["anyOf": [size, ["type": "null"]]],
            "bytes": nullable("integer"), "format": nullable("string"),
            "askedAt": nullableDate, "milliseconds": nullable("integer"),
        ])
        let step = object([
            "label": text, "outcome": choice("chosen", "failed", "remembered", "followed"),
            "note": text, "milliseconds": nullable("integer"), "lanes": nullable("string"),
        ])
        let level = object([
            "name": text, "candidate": nullable("string"), "freshUntil": nullableDate,
            "failure": nullable("string"),
            "thumbnails": array(
                object(["format": text, "size": size, "bytes": ["type": "integer"]])),
        ])
        let block = object(["target": text, "reason": nullable("string"), "at": date])
        return object([
            "item": text, "title": nullable("string"),
            "blocked": ["anyOf": [block, ["type": "null"]]], "candidates": array(candidate),
            "resolvedAt": nullableDate, "steps": array(step), "levels": array(level),
        ])
    }()

    private static let size: JSON = object([
        "width": ["type": "integer"], "height": ["type": "integer"],
    ])
    private static let text: JSON = ["type": "string"]
    private static let date: JSON = ["type": "string", "format": "date-time"]

    private static let nullableDate: JSON = [
        "type": ["string", "null"], "format": "date-time",
    ]

    private static func choice(_ names: String...) -> JSON {
        ["type": "string", "enum": JSON(names)]
    }

    private static func nullable(_ type: String) -> JSON {
        ["type": .list([.text(type), "null"])]
    }

    private static func array(_ items: JSON) -> JSON {
        ["type": "array", "items": items]
    }

    /// Returns the schema of an object. All members are required except `optional` ones; others are
    /// not allowed.
    private static func object(
        _ members: [String: JSON], optional: Set<String> = []
    ) -> JSON {
        [
            "type": "object", "properties": JSON(members), "additionalProperties": false,
            "required": JSON(members.keys.filter { !optional.contains($0) }.sorted()),
        ]
    }
}

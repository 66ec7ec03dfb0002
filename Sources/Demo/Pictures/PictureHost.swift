import FoundationEssentials
import HTTP
import Hashing
import Logging
import Threads

/// Answers for pictures: validators first, then bytes, which are drawn when they are first asked for
/// and kept in memory up to a bound.
actor PictureHost {
    /// A file of a drawing.
    struct File: Sendable {
        /// Unique over all hosts: usually host and path. Files of one drawing share it.
        var drawing: String
        /// Which of the drawing's files.
        var index = 0
        /// Seconds since 1970.
        var modified: Int
        /// A share of the file is withheld if the transfer is to break off.
        var share = 1.0
    }

    private nonisolated let seed: UInt64
    private let maxBytes: Int
    private let logger: Logger
    private var drawn: [String: (files: [[UInt8]], lastUse: Int)] = [:]
    /// Equal requests wait for one drawing.
    private var inFlight: [String: Task<[[UInt8]], any Error>] = [:]
    private var bytes = 0
    private var clock = 0
    /// How many pictures were drawn, for tests.
    private(set) var drawings = 0

    init(seed: UInt64, maxBytes: Int, logger: Logger) {
        self.seed = seed
        self.maxBytes = maxBytes
        self.logger = logger
    }

    /// `draw` gives all files of the drawing.
    nonisolated func answer(
        _ request: DemoRequest, _ file: File, draw: @escaping @Sendable () throws -> [[UInt8]]
    ) async -> DemoAnswer {
        // Known without drawing: a picture is what its seed and name make it.
        let salt = SeededRandom.salt("\(file.drawing) \(file.index)")
        var random = SeededRandom(seed: seed, 3, salt, Artist.version)
        let fields = [
            "ETag": "\"\(String(random.next(), radix: 16))\"",
            "Last-Modified": HTTPDate.format(Date(timeIntervalSince1970: Double(file.modified))),
            "Cache-Control": "public, max-age=604800", "Access-Control-Allow-Origin": "*",
        ]
        var answer = DemoAnswer(
            status: 200, contentType: "image/jpeg", fields: fields, body: [])
        if Self.isUnchanged(request, fields) {
            answer.status = 304
            return answer
        }
        do {
            answer.body = try await files(file.drawing, draw)[file.index]
            answer.body.removeLast(Int(Double(answer.body.count) * (1 - file.share)))
            return answer
        } catch {
            logger.error("A picture could not be drawn", metadata: ["error": "\(error)"])
            return .html("500 Internal Server Error", status: 500)
        }
    }

    private static func isUnchanged(_ request: DemoRequest, _ fields: [String: String]) -> Bool {
        guard let given = request.ifNoneMatch else {
            return request.ifModifiedSince.map { $0 == fields["Last-Modified"] } ?? false
        }
        return given.split(separator: ",").contains { tag in
            let tag = tag.filter { $0 != " " }
            return tag == "*"
                || (tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag) == fields["ETag"]
        }
    }

    private func files(
        _ key: String, _ draw: @escaping @Sendable () throws -> [[UInt8]]
    ) async throws -> [[UInt8]] {
        clock += 1
        if let found = drawn[key]?.files {
            drawn[key]?.lastUse = clock
            return found
        }
        if let task = inFlight[key] { return try await task.value }
        drawings += 1
        let task = Task { try await FileThreads.run { try draw() } }
        inFlight[key] = task
        defer { inFlight[key] = nil }
        let files = try await task.value
        drawn[key] = (files, clock)
        bytes += files.reduce(0) { $0 + $1.count }
        // What was not used for longest goes.
        while bytes > maxBytes, let old = drawn.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            bytes -= old.value.files.reduce(0) { $0 + $1.count }
            drawn[old.key] = nil
        }
        return files
    }
}

/// Reads a trace of a real service from a file.
///
/// A line is a request: `KEY BYTES`. With a third word, `insert`, the picture is put into the cache
/// without a request. Empty lines are skipped.
enum RecordedTrace {
    struct Malformed: Error, Equatable, CustomStringConvertible {
        var line: Int
        var description: String {
            "Line \(line) of the trace is not \"KEY BYTES\" or \"KEY BYTES insert\"."
        }
    }

    static func read(_ text: String, name: String) throws(Malformed) -> CacheTrace {
        var keys: [Substring: Int32] = [:]
        var trace = CacheTrace(name: name, costs: [], events: [])
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (number, line) in lines.enumerated() where !line.isEmpty {
            let words = line.split(separator: " ")
            guard words.count == 2 || words.count == 3 && words[2] == "insert",
                let cost = Int(words[1]), cost >= 0
            else { throw Malformed(line: number + 1) }
            let key = keys[words[0]] ?? Int32(keys.count)
            if keys.updateValue(key, forKey: words[0]) == nil { trace.costs.append(cost) }
            trace.events.append(.init(key: key, kind: words.count == 3 ? .insertion : .request))
        }
        return trace
    }
}

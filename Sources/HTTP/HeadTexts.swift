/// Header lines that are the same for all pictures. The date is written once a second. Belongs to
/// one thread.
package struct HeadTexts: Sendable {
    static let ok = Array("HTTP/1.1 200 OK\r\n".utf8)
    static let partialContent = Array("HTTP/1.1 206 Partial Content\r\n".utf8)
    static let notModified = Array("HTTP/1.1 304 Not Modified\r\n".utf8)
    static let acceptRanges = FieldLines(("Accept-Ranges", "bytes"))
    static let vary = FieldLines(("Vary", "Accept"))
    static let bytesUnit = Array("bytes ".utf8)

    let hit: FieldLines
    let stale: FieldLines
    let maxAge: [UInt8]
    let staleness: [UInt8]
    /// Seconds that clients keep a response, at most. Caches in front have a field of their own then.
    let clientLimit: Int?
    private let boundedControl: @Sendable (_ left: Int, _ linkLeft: Int) -> String
    private let dateLines: @Sendable (_ second: Int) -> FieldLines
    private var second = Int.min
    private var dateOfSecond = FieldLines()

    /// - Parameters:
    ///   - hit: the line that says that the response is a hit and fresh.
    ///   - stale: the same for a stale one.
    ///   - maxAge: the value of `Cache-Control` up to the seconds of freshness that are left.
    ///   - staleness: the same value from there on.
    ///   - bounded: returns that value for a target that stops being valid after `linkLeft` seconds.
    ///   - clientLimit: seconds that clients keep a response, at most; nil for no such limit.
    ///   - date: returns the lines that depend on the time, in seconds since 1970.
    package init(
        hit: FieldLines, stale: FieldLines, maxAge: [UInt8], staleness: [UInt8],
        bounded: @escaping @Sendable (_ left: Int, _ linkLeft: Int) -> String,
        clientLimit: Int? = nil,
        date: @escaping @Sendable (_ second: Int) -> FieldLines
    ) {
        self.hit = hit
        self.stale = stale
        self.maxAge = maxAge
        self.staleness = staleness
        boundedControl = bounded
        self.clientLimit = clientLimit
        dateLines = date
    }

    func bounded(_ left: Int, _ linkLeft: Int) -> [UInt8] {
        Array(boundedControl(left, linkLeft).utf8)
    }

    mutating func date(_ second: Int) -> FieldLines {
        if second != self.second {
            self.second = second
            dateOfSecond = dateLines(second)
        }
        return dateOfSecond
    }
}

import FoundationEssentials
import HTTPTypes
import Pipeline

/// Lines of heads that are the same for all pictures; the date is written once a second.
///
/// Belongs to one thread.
struct HeadTexts {
    static let full = Array("HTTP/1.1 200 OK\r\n".utf8)
    static let notModified = Array("HTTP/1.1 304 Not Modified\r\n".utf8)
    static let vary = PreparedHit.lines([.vary: "Accept"])
    static let close = PreparedHit.lines([.connection: "close"])
    static let end = Array("\r\n".utf8)
    let hit = PreparedHit.lines([.cacheStatus: CacheStatus.field(.hit)])
    let stale = PreparedHit.lines([.cacheStatus: CacheStatus.field(.stale)])
    private let life: PictureLife
    /// Up to the seconds that are left, and from there to the end of the value.
    let cacheControl: [UInt8]
    let staleness: [UInt8]
    /// Up to the seconds that are past.
    let age: [UInt8]
    static let lineEnd = Array("\r\n".utf8)
    private var second = Int.min
    private var dateLines: [UInt8] = []

    init(_ freshness: FreshnessPolicy) {
        let life = PictureLife(freshness)
        cacheControl = Array("\(HTTPField.Name.cacheControl.rawName): \(life.start)".utf8)
        self.life = life
        staleness = Array(life.end.utf8)
        age = Array("\r\n\(HTTPField.Name.age.rawName): ".utf8)
    }

    /// Up to the end of the value, of a picture whose link stops counting.
    func cacheControl(left: Int, linkLeft: Int) -> [UInt8] {
        let value = life.bounded(left: left, linkLeft: linkLeft)
        return Array("\(HTTPField.Name.cacheControl.rawName): \(value)".utf8)
    }

    /// `Server` and `Date`.
    mutating func date(_ second: Int) -> [UInt8] {
        if second != self.second {
            self.second = second
            dateLines = PreparedHit.lines(
                CommonFields.of(Date(timeIntervalSince1970: TimeInterval(second))))
        }
        return dateLines
    }
}

/// Fields of every answer, whoever makes it.
enum CommonFields {
    static func of(_ now: Date) -> HTTPFields {
        [.server: "vitrine", .date: HTTPDate.format(now)]
    }
}

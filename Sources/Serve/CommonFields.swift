import FoundationEssentials
import HTTP
import HTTPTypes
import Hashing
import Pipeline

extension HTTPFields {
    /// Fields of every response.
    static func common(at now: Date) -> HTTPFields {
        [.server: "vitrine", .date: HTTPDate.format(now)]
    }
}

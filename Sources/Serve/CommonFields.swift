import FoundationEssentials
import HTTP
import HTTPTypes
import Pipeline

/// Fields of every response.
enum CommonFields {
    static func of(_ now: Date) -> HTTPFields {
        [.server: "vitrine", .date: HTTPDate.format(now)]
    }
}

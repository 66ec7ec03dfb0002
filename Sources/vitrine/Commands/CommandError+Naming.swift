import Catalog
import Console

extension CommandError {
    /// Returns what the words of a command name. A source, kind or item that doesn't exist is a usage
    /// error then.
    static func naming<Value>(_ find: () throws(Failure) -> Value) throws -> Value {
        do throws(Failure) {
            return try find()
        } catch {
            guard error.kind == .notFound || error.isBadRequest else { throw error }
            throw CommandError.usage(error.reason)
        }
    }
}

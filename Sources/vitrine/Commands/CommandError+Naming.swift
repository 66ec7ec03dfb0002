import Catalog
import Console

extension CommandError {
    /// Converts the error of looking for what the words of a command name. A source, kind or item that
    /// doesn't exist is a usage error.
    static func naming(_ failure: Failure) -> any Error {
        failure.kind == .notFound || failure.isBadRequest ? usage(failure.reason) : failure
    }

    /// Returns what the words of a command name.
    static func naming<Value>(_ find: () throws(Failure) -> Value) throws -> Value {
        do throws(Failure) {
            return try find()
        } catch {
            throw naming(error)
        }
    }
}

import App
package import Catalog
import Fetch
package import Imaging

/// Why a command failed: one sentence that says what happened and what to do, and the exit status.
package struct CommandError: Error, Equatable, CustomStringConvertible {
    /// Exit statuses of `sysexits.h`, which scripts check.
    package enum Status: Int32, Sendable {
        case failure = 1
        case usage = 64
        case configuration = 78
    }

    package let description: String
    package let status: Status

    package init(_ description: String, status: Status = .failure) {
        self.description = description
        self.status = status
    }

    package static func usage(_ description: String) -> Self {
        Self(description, status: .usage)
    }

    /// An option names a level that is not configured.
    package static func unknownLevel(
        _ name: String, _ option: String, among levels: [Level]
    ) -> Self {
        let names = levels.map(\.name)
        let rest =
            NearestName.of(name, among: names).map { "did you mean “\($0)”?" }
            ?? "configured are \(names.listed(by: "and"))."
        return usage("\(option): there is no level “\(name)”; \(rest)")
    }

    /// Converts any error that a command threw.
    package init(_ error: any Error) {
        switch error {
        case let error as CommandError:
            self = error
        case let error as ConfigurationError:
            self.init(error.description, status: error.isUsage ? .usage : .configuration)
        case let error as FetchError:
            var status = Status.failure
            if case .configuration = error.cause { status = .configuration }
            self.init("\(error)", status: status)
        case let failure as Failure:
            self.init(
                failure.reason,
                status: failure.kind == .unconfigured ? .configuration : .failure)
        case is CancellationError:
            self.init("Interrupted.")
        default:
            self.init("\(error)")
        }
    }

    /// Converts the error of looking for what the words of a command name. A source, kind or item that
    /// doesn't exist is a usage error.
    package static func naming(_ failure: Failure) -> any Error {
        failure.kind == .notFound || failure.isBadRequest ? usage(failure.reason) : failure
    }

    /// Returns what the words of a command name.
    package static func naming<Value>(_ find: () throws(Failure) -> Value) throws -> Value {
        do throws(Failure) {
            return try find()
        } catch {
            throw naming(error)
        }
    }
}

import App
import FoundationEssentials

/// A program that renders, measures itself and prints a ``RenderOutcome``.
struct OutcomeCase: BenchCase {
    var head: BenchRow.Head
    var order: MeasuredProgram.Order
    /// A directory for this case's files.
    var scratch: String
    /// Every process warms up with a picture of its own.
    var warmUps: Int { 0 }

    func round(_ number: Int) async throws -> BenchSample {
        var order = order
        let output = "\(scratch)/outcome.json"
        order.output = .file(output)
        order.errors = .file("\(scratch)/errors.txt")
        let directory = scratch
        try await FileThreads.run { () throws(LocalFileError) in
            try LocalFile.makeDirectory(directory)
        }
        _ = try await MeasuredProgram.run(order)
        let bytes = try await FileThreads.run { () throws(LocalFileError) in
            try LocalFile.read(output, limit: 1 << 20)
        }
        guard let outcome = try? JSONDecoder().decode(RenderOutcome.self, from: Data(bytes)) else {
            throw CommandError("\(order.path) printed something other than its figures.")
        }
        return outcome.sample
    }
}

import ArgumentParser
import FoundationEssentials
import Pipeline

struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Tell where an item's picture comes from, and why.",
        discussion: """
            Shows every candidate, what happened to it, what is stored and until when it is fresh. \
            An item that was never asked for is fetched first, as a request would.
            """)

    @Argument(help: ArgumentHelp("The item, such as tvmaze/show/1.", valueName: "source/kind/id"))
    var item: String

    @Flag(help: "Show only what is stored; fetch no picture.")
    var stored = false

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let parts = item.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else {
            throw CommandError.usage(
                "\"\(item)\" is no item; write it as source/kind/id, such as tvmaze/show/1.")
        }
        let settings = try shared.start()
        let assembly = try await Assembly.open(settings)
        let result: Result<Explanation, any Error>
        do {
            result = .success(try await explain(parts, assembly.pipeline))
        } catch {
            result = .failure(error)
        }
        try await assembly.close()
        print(ExplanationText(explanation: try result.get(), now: Date()).text)
    }

    private func explain(
        _ parts: [String], _ pipeline: MediaPipeline
    ) async throws -> Explanation {
        do throws(PipelineError) {
            let item = try pipeline.item(source: parts[0], kind: parts[1], id: parts[2])
            return try await pipeline.explain(item, walking: !stored)
        } catch {
            if error.isBadRequest { throw CommandError.usage("\(error)") }
            throw error
        }
    }
}

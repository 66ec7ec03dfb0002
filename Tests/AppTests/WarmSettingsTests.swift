import Imaging
import Pipeline
import Testing

@testable import App

@Suite(.timeLimit(.minutes(1))) struct WarmSettingsTests {
    private let syntax = ValueSyntax<WarmSchedule.Job>.warmJob

    @Test func `a job is written as on the command line`() throws {
        let text = "tvmaze shows --pages 0-3 --limit 500 --every 6h"
        let job = try #require(syntax.parse(text))
        #expect(job.source == "tvmaze" && job.list == "shows" && job.words.isEmpty)
        #expect(job.pages == "0-3" && job.limit == 500 && job.every == .seconds(21_600))
        #expect(syntax.print(job) == text)
        let formats = "tvmaze shows --formats jpeg,avif --every 6h"
        #expect(syntax.parse(formats)?.formats == [.jpeg, .avif])
        #expect(syntax.parse(formats).map(syntax.print) == formats)
        let pinned = "tvmaze shows --limit 5 --pin --every 6h"
        #expect(syntax.parse(pinned)?.isPinned == true && syntax.parse(formats)?.isPinned == false)
        #expect(syntax.parse(pinned).map(syntax.print) == pinned)
        let search = try #require(
            syntax.parse("  rijksmuseum objects --every 7d title=Nacht  creator=Rembrandt a"))
        #expect(search.parameters == ["title": "Nacht", "creator": "Rembrandt"])
        #expect(
            syntax.print(search)
                == "rijksmuseum objects a creator=Rembrandt title=Nacht --every 7d")
        #expect(syntax.parse(syntax.print(search)) == search)
    }

    @Test(arguments: [
        "", "tvmaze", "tvmaze shows", "tvmaze shows --every", "tvmaze shows --every 1s",
        "tvmaze --every 6h", "tvmaze shows --every 6h --every 7h",
        "tvmaze shows --pages x --every 6h",
        "tvmaze shows --limit 0 --every 6h", "tvmaze shows --pin --pin --every 6h",
        "tvmaze shows --concurrency 3 --every 6h",
        "tvmaze shows page=0 page=1 --every 6h", "tvmaze shows --formats gif --every 6h",
    ])
    func `other texts are not jobs`(text: String) {
        #expect(syntax.parse(text) == nil)
    }
}

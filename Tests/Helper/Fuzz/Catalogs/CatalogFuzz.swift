import Catalog
import Foundation
import TestSupport

/// The loop over the readers of the sources' answers: recorded answers, changed, through each source
/// as the service has it.
final class CatalogFuzz {
    private let options: FuzzOptions
    private let current: CurrentInput
    private let cases: [CatalogCase]
    private var counter = OutcomeCounter()
    private var faults = 0

    init(_ options: FuzzOptions, _ current: String) throws {
        self.options = options
        self.current = try CurrentInput(current)
        cases = try CatalogCase.all()
    }

    /// Whether nothing was found.
    func run() async throws -> Bool {
        say("seed \(options.seed), \(cases.count) sources, \(options.count) inputs")
        let start = ContinuousClock.now
        for index in 0..<options.count {
            let number = options.first + index
            // The same seed and number are the same input, whatever came before.
            current.write(number, [])
            await ask(number)
            if index % 20_000 == 19_999 { say("\(index + 1): \(counter.description)") }
        }
        let seconds = start.duration(to: .now) / .seconds(1)
        say(counter.description)
        say("\(Int(Double(options.count) / seconds)) inputs/s, \(Int(seconds)) s")
        return faults == 0
    }

    private func ask(_ number: Int) async {
        var start = SeededGenerator(seed: options.seed ^ UInt64(number) &* 0xD134_2543_DE82_EF95)
        var random = SeededGenerator(seed: start.next())
        let one = cases[Int.random(in: 0..<cases.count, using: &random)]
        let question = one.questions[Int.random(in: 0..<one.questions.count, using: &random)]
        let api = KeptPart(
            api: PlayedAnswers(one.documents, SeededGenerator(seed: random.next())),
            isKept: Bool.random(using: &random))
        do throws(Failure) {
            switch question {
            case .item(let kind, let id):
                let details = try await one.source.details(
                    of: one.source.item(kind: kind, id: id), api: api)
                counter.add("item")
                check(details, one.source, number)
            case .list(let list, let parameters):
                let page = try await one.source.page(
                    one.source.query(list: list, parameters: parameters), api: api)
                counter.add(page == nil ? "end" : "page")
                if let page { check(page, one.source, number) }
            }
        } catch {
            counter.add(error.kind.rawValue)
            let sentence = "\(error)"
            if sentence.isEmpty || sentence.utf8.count > 400 || sentence.contains("\n") {
                fault(number, "not a sentence: \(sentence)")
            }
        }
    }

    private func check(_ page: CatalogPage, _ source: any Source, _ number: Int) {
        for details in page.items { check(details, source, number) }
        if page.total.map({ $0 < 0 }) ?? false { fault(number, "a total below zero") }
        let first = page.firstIndex ?? 0
        if !(0...page.items.count).contains(
            CatalogPolicy().persistedCount(firstIndex: first, count: page.items.count))
        {
            fault(number, "a wrong number of items to keep")
        }
        if let next = page.next,
            (try? source.query(list: next.list, parameters: next.parameters)) != next
        {
            fault(number, "a next page that the source does not know: \(next)")
        }
    }

    private func check(_ details: ItemDetails, _ source: any Source, _ number: Int) {
        let item = details.entry.item
        if (try? source.item(kind: item.kind, id: item.id)) != item {
            fault(number, "an item that the source does not know: \(item)")
        }
        for box in Self.boxes {
            for step in details.orderedChain(for: box) {
                guard case .candidate(let candidate) = step else { continue }
                let isKnown = CheckedURL(candidate.url, hosts: source.imageHosts) != nil
                let sides = [candidate.width, candidate.height].compactMap(\.self)
                if !isKnown || !sides.allSatisfy({ $0 > 0 }) {
                    fault(number, "a wrong candidate: \(candidate)")
                }
            }
        }
        _ = Self.filter?.matches(details.entry)
        if let language = Self.dutch { _ = details.entry.inLanguage(language) }
        // As it is kept on disk.
        let kept = (try? JSONEncoder().encode(details))
            .flatMap { try? JSONDecoder().decode(ItemDetails.self, from: $0) }
        if kept != details { fault(number, "details that can't be kept") }
    }

    private func fault(_ number: Int, _ what: String) {
        faults += 1
        say("FAULT input \(number): \(what)")
    }

    private static let boxes = [(1, 1), (80, 120), (1_280, 1_920), (16_384, 1)].map {
        PictureBox(width: $0, height: $1)
    }
    private static let filter = try? CatalogFilter(
        parameters: ["title": "é", "from": "1600", "genre": "drama"], now: Date())
    private static let dutch = try? LanguagePreference(lang: "nl-BE", acceptLanguage: nil)
}

/// Gives what is kept of an answer in its place, as the service does when it is asked again.
private struct KeptPart: APIReading {
    let api: PlayedAnswers
    let isKept: Bool

    func read(_ call: APICall) async throws(Failure) -> APIAnswer {
        let answer = try await api.read(call)
        guard isKept, let keeping = call.keeping, answer.status == 200,
            let part = keeping.part(answer.body)
        else { return answer }
        return APIAnswer(status: 200, body: part)
    }
}

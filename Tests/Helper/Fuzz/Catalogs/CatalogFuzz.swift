import Catalog
import Foundation
import TestSupport

/// The loop over the readers of the sources' answers: recorded answers, changed, through each source
/// as the service has it.
struct CatalogFuzz {
    private let loop: FuzzLoop
    private let cases: [CatalogCase]

    init(_ options: FuzzOptions, _ current: String) throws {
        loop = try FuzzLoop(options, current)
        cases = try CatalogCase.all()
    }

    /// Whether nothing was found.
    func run() async throws -> Bool {
        try await loop.run("\(cases.count) sources", sayingEvery: 20_000) { number in
            // The same seed and number are the same input, whatever came before.
            loop.keep(number, [])
            await ask(number)
        }
    }

    private func ask(_ number: Int) async {
        var random = SeededGenerator(input: number, of: loop.options.seed)
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
                loop.count("item")
                check(details, one.source, number)
            case .list(let list, let parameters):
                let page = try await one.source.page(
                    one.source.query(list: list, parameters: parameters), api: api)
                loop.count(page == nil ? "end" : "page")
                if let page { check(page, one.source, number) }
            }
        } catch {
            loop.count(error.kind.rawValue)
            let sentence = "\(error)"
            if sentence.isEmpty || sentence.utf8.count > 400 || sentence.contains("\n") {
                loop.fault(number, "not a sentence: \(sentence)")
            }
        }
    }

    private func check(_ page: CatalogPage, _ source: any Source, _ number: Int) {
        for details in page.items { check(details, source, number) }
        if page.total.map({ $0 < 0 }) ?? false { loop.fault(number, "a total below zero") }
        let first = page.firstIndex ?? 0
        if !(0...page.items.count).contains(
            CatalogPolicy().persistedCount(firstIndex: first, count: page.items.count))
        {
            loop.fault(number, "a wrong number of items to keep")
        }
        if let next = page.next,
            (try? source.query(list: next.list, parameters: next.parameters)) != next
        {
            loop.fault(number, "a next page that the source does not know: \(next)")
        }
    }

    private func check(_ details: ItemDetails, _ source: any Source, _ number: Int) {
        let item = details.entry.item
        if (try? source.item(kind: item.kind, id: item.id)) != item {
            loop.fault(number, "an item that the source does not know: \(item)")
        }
        for box in Self.boxes {
            for step in details.orderedChain(for: box) {
                guard case .candidate(let candidate) = step else { continue }
                let isKnown = CheckedURL(candidate.url, hosts: source.imageHosts) != nil
                let sides = [candidate.width, candidate.height].compactMap(\.self)
                if !isKnown || !sides.allSatisfy({ $0 > 0 }) {
                    loop.fault(number, "a wrong candidate: \(candidate)")
                }
            }
        }
        _ = Self.filter?.matches(details.entry)
        if let language = Self.dutch { _ = details.entry.inLanguage(language) }
        // As it is kept on disk.
        let kept = (try? JSONEncoder().encode(details))
            .flatMap { try? JSONDecoder().decode(ItemDetails.self, from: $0) }
        if kept != details { loop.fault(number, "details that can't be kept") }
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

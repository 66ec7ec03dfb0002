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
            if number % 4 == 0 { readURL(number) } else { await ask(number) }
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

    /// Reads a changed URL, as lists, answers, operators and clients give them.
    private func readURL(_ number: Int) {
        var random = SeededGenerator(input: number, of: loop.options.seed)
        var text = Array(
            Self.urls[Int.random(in: 0..<Self.urls.count, using: &random)].unicodeScalars)
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            let place = Int.random(in: 0...text.count, using: &random)
            let scalar = Self.scalars[Int.random(in: 0..<Self.scalars.count, using: &random)]
            if Bool.random(using: &random), place < text.count { text.remove(at: place) }
            text.insert(scalar, at: min(place, text.count))
        }
        var given = ""
        given.unicodeScalars.append(contentsOf: text)
        do throws(NormalURL.Refusal) {
            let url = try NormalURL(given).text
            loop.count("URL")
            let again = try NormalURL(url).text
            if again != url { loop.fault(number, "two normal forms: \(given), \(url), \(again)") }
            if !Self.isAllowed(url) { loop.fault(number, "not of RFC 3986: \(url)") }
            if given.utf8.allSatisfy({ 0x21...0x7E ~= $0 }), Self.isAllowed(given),
                !url.lowercased().hasPrefix(given.prefix { $0 != "#" }.lowercased())
            {
                loop.fault(number, "a good URL was changed: \(given), \(url)")
            }
            let hosts = SignedURL(hosts: []).imageHosts
            let checked = CheckedURL(given, hosts: hosts)
            if let checked, CheckedURL(checked.text, hosts: hosts) != checked {
                loop.fault(number, "another URL at the second check: \(checked.text)")
            }
            // Both names of the picture are one.
            let items = [try? SignedURL.item(of: given), try? SignedURL.item(of: url)]
            if items[0] != items[1] { loop.fault(number, "two items: \(given), \(url)") }
        } catch {
            loop.count("no URL")
            if error.phrase.isEmpty || error.phrase.contains("\n") {
                loop.fault(number, "not a phrase: \(error.phrase)")
            }
        }
    }

    /// Whether a URL has only characters that RFC 3986 allows, and whole escapes.
    private static func isAllowed(_ url: String) -> Bool {
        let kept = "-._~!$&'()*+,;=:@/?%[]".utf8
        let bytes = Array(url.utf8)
        return bytes.indices.allSatisfy { place in
            let byte = bytes[place]
            if byte == UInt8(ascii: "%") {
                let digits = bytes[(place + 1)...].prefix(2)
                return digits.count == 2
                    && digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
            }
            // Brackets are those of an address.
            if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]") {
                return !bytes[..<place].dropFirst(8).contains { "/?#".utf8.contains($0) }
            }
            return 0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
                || kept.contains(byte)
        }
    }

    private static let urls = [
        "https://cdn.example.org/a b/c.jpg?d=e f#g", "http://user:p@10.0.0.1:8080/a|b^{c}",
        "https://[::1]:80/%41%2f%zz?100%", "HTTPS://Bücher.example/ä\\b'c'\"d\"",
        "https://a.example?x=[1]&y=;,", "http://a.example/../b/./c//d", "//cdn.example.org/a",
        "https://a/b?to=https://c/d",
    ]
    private static let scalars = Array(
        ":/?#[]@!$&'()*+,;=-._~ \"<>\\^`{|}%\u{0}\t\n\r\u{1F}\u{7F}ü目🖼\u{A0}\u{200D}\u{FEFF}aZ09／．１xn--"
            .unicodeScalars)

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

import Fetch
import JSON

/// Reads the records behind an object's picture, with one call each. Each kind of record is cached
/// for as long as it usually stays unchanged.
struct MuseumRecords: Sendable {
    let api: any APIReading

    private static let day: Double = 86_400

    /// Cached for a day, because titles and makers are corrected often.
    func object(_ link: MuseumLink) async throws(Failure) -> MuseumObject {
        try await read(
            link, called: "object", days: 1,
            part: Self.part(
                [
                    "id", "type", "identified_by", "produced_by", "referred_to_by", "shows",
                    "classified_as", "made_of",
                ],
                anyOf: ["id", "type"]), MuseumObject.init)
    }

    /// A record without a picture is not cached here: the caller decides how long "no picture"
    /// holds.
    func visualItem(_ link: MuseumLink) async throws(Failure) -> JSON {
        try await read(
            link, called: "VisualItem", days: 7,
            part: Self.part(
                ["id", "type", "subject_to", "digitally_shown_by"],
                anyOf: ["digitally_shown_by"]), \.record)
    }

    func digitalObject(_ link: MuseumLink) async throws(Failure) -> JSON {
        try await read(
            link, called: "DigitalObject", days: 7,
            part: Self.part(
                ["id", "type", "referred_to_by", "access_point"], anyOf: ["access_point"]),
            \.record)
    }

    /// Returns the largest picture that a service returns, which never changes. Returns `nil` if the size is
    /// unavailable now, because the picture can be requested without it.
    func most(of service: ImageService) async throws(Failure) -> PictureBox? {
        var call = APICall(url: service.infoURL, allowedHosts: [ImageService.host])
        call.maxRedirects = 1
        call.keeping = APICall.Keeping(
            key: call.url, timeToLive: 30 * Self.day,
            part: Self.part(
                ["width", "height", "maxWidth", "maxHeight", "maxArea"], anyOf: ["width"]))
        do throws(Failure) {
            let answer = try await api.read(call)
            return answer.isSuccess ? ImageService.most(answer.shortDocument) : nil
        } catch {
            guard error.isTransient else { throw error }
            return nil
        }
    }

    /// Returns whether a 400 is about the call's parameters. It then says nothing about the record.
    private static func isAboutParameters(_ answer: APIAnswer) -> Bool {
        answer.shortDocument["detail"].string?.lowercased().contains("parameter") ?? false
    }

    /// Reads one record. The id host answers directly, or redirects (303) to the data host.
    ///
    /// For a browser's `Accept` it would redirect to a web page, so JSON-LD is requested
    /// explicitly.
    private func read<Record: Sendable>(
        _ link: MuseumLink, called name: String, days: Double,
        part: @escaping @Sendable ([UInt8]) -> [UInt8]?, _ record: @Sendable (JSON) -> Record?
    ) async throws(Failure) -> Record {
        var call = APICall(url: link.url, allowedHosts: MuseumLink.recordHosts)
        call.headers = [(name: "Accept", value: "application/ld+json")]
        call.maxRedirects = 1
        call.keeping = APICall.Keeping(
            key: call.url, timeToLive: days * Self.day, part: part)
        do throws(Failure) {
            let answer = try await api.read(call)
            switch answer.status {
            // An unknown id is a 400, or a 404.
            case 400 where !Self.isAboutParameters(answer), 404, 410:
                throw Failure.notFound(reason: "Rijksmuseum has no \(name) \(link).")
            default:
                return try await answer.decoded(
                    "\(MuseumLink.recordHost)", by: MuseumLink.recordHost, record)
            }
        } catch {
            throw error.naming("Rijksmuseum's \(name) \(link)")
        }
    }

    /// Returns what reduces a JSON object to some of its fields. Records have up to 100 kB, of which we
    /// need little. It returns nil for a body that is not a JSON object or has none of the fields that
    /// are needed.
    static func part(
        _ names: Set<String>, anyOf needed: Set<String>
    ) -> @Sendable ([UInt8]) -> [UInt8]? {
        { body in
            // The decoder of the response reports invalid JSON. Here it is only not cached.
            guard case .object(let members)? = try? JSON(parsing: body),
                members.contains(where: { needed.contains($0.name) })
            else { return nil }
            return JSON.object(members.filter { names.contains($0.name) }).bytes
        }
    }
}

// MARK: - Pages

extension MuseumRecords {
    /// Records read at the same time. The museum asks clients for a handful at most.
    private static let atOnce = 4
    /// Objects of a page, a fifth of the museum's. Its rate allows ten calls a second, so that a page is
    /// read within a second or two, while the next is read already.
    static let pageSize = 20
    /// Unreadable records in a row after which the rest of the page is not requested.
    private static let patience = 12

    /// Returns the objects of a page in order, without pictures: a search returns only their ids. An
    /// unreadable object is listed with its number.
    ///
    /// - Throws: ``Failure`` if the museum didn't respond for any of them, or if a call was
    ///   invalid, lacked credentials or was canceled.
    func items(_ links: [MuseumLink]) async throws(Failure) -> [ItemDetails] {
        let answers = await answers(links)
        var hasAnswered = links.isEmpty
        var failure: Failure?
        var items: [ItemDetails] = []
        for (index, link) in links.enumerated() {
            var entry = MuseumObject.unreadEntry(of: link.item)
            switch answers[index] {
            case .success(let known):
                entry = known
                hasAnswered = true
            case .failure(let error):
                if error.isTransient {
                    failure = failure ?? error
                } else if error.kind == .notFound {
                    hasAnswered = true
                } else {
                    throw error
                }
            case nil: break
            }
            items.append(ItemDetails(entry: entry, chain: [], isResolved: false))
        }
        if !hasAnswered, let failure { throw failure }
        return items
    }

    /// Returns the results by index. Records that were not requested are missing.
    private func answers(_ links: [MuseumLink]) async -> [Int: Result<CatalogEntry, Failure>] {
        await withTaskGroup(of: (Int, Result<CatalogEntry, Failure>).self) { group in
            var waiting = links.enumerated().makeIterator()
            func readNext() {
                guard let (index, link) = waiting.next() else { return }
                group.addTask { (index, await entry(of: link)) }
            }
            for _ in 0..<Self.atOnce { readNext() }
            var answers: [Int: Result<CatalogEntry, Failure>] = [:]
            var unreadInARow = 0
            while let (index, answer) = await group.next() {
                answers[index] = answer
                if case .failure(let error) = answer, error.isTransient {
                    unreadInARow += 1
                } else {
                    unreadInARow = 0
                }
                if unreadInARow < Self.patience { readNext() }
            }
            return answers
        }
    }

    private func entry(of link: MuseumLink) async -> Result<CatalogEntry, Failure> {
        do throws(Failure) {
            return .success(try await object(link).entry(of: link.item))
        } catch {
            return .failure(error)
        }
    }
}

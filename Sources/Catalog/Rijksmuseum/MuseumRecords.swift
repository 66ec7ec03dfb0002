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
            part: JSONPart(
                names: [
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
            part: JSONPart(
                names: ["id", "type", "subject_to", "digitally_shown_by"],
                anyOf: ["digitally_shown_by"]), \.record)
    }

    func digitalObject(_ link: MuseumLink) async throws(Failure) -> JSON {
        try await read(
            link, called: "DigitalObject", days: 7,
            part: JSONPart(
                names: ["id", "type", "referred_to_by", "access_point"],
                anyOf: ["access_point"]), \.record)
    }

    /// Returns the largest picture that a service returns, which never changes. Returns `nil` if the size is
    /// unavailable now, because the picture can be requested without it.
    func most(of service: ImageService) async throws(Failure) -> PictureBox? {
        var call = APICall(url: service.infoURL, allowedHosts: [ImageService.host])
        call.maxRedirects = 1
        call.keeping = APICall.Keeping(
            key: call.url, timeToLive: 30 * Self.day,
            part: JSONPart(
                names: ["width", "height", "maxWidth", "maxHeight", "maxArea"],
                anyOf: ["width"]
            ).callAsFunction)
        do throws(Failure) {
            let answer = try await api.read(call)
            return answer.isSuccess ? ImageService.most(answer.document) : nil
        } catch {
            guard error.isTransient else { throw error }
            return nil
        }
    }

    /// Returns whether a 400 is about the call's parameters. It then says nothing about the record.
    private static func isAboutParameters(_ answer: APIAnswer) -> Bool {
        answer.document["detail"].string?.lowercased().contains("parameter") ?? false
    }

    /// Reads one record. The id host answers directly, or redirects (303) to the data host.
    ///
    /// For a browser's `Accept` it would redirect to a web page, so JSON-LD is requested
    /// explicitly.
    private func read<Record>(
        _ link: MuseumLink, called name: String, days: Double, part: JSONPart,
        _ record: (JSON) -> Record?
    ) async throws(Failure) -> Record {
        var call = APICall(url: link.url, allowedHosts: MuseumLink.recordHosts)
        call.headers = [(name: "Accept", value: "application/ld+json")]
        call.maxRedirects = 1
        call.keeping = APICall.Keeping(
            key: call.url, timeToLive: days * Self.day, part: part.callAsFunction)
        do throws(Failure) {
            let answer = try await api.read(call)
            switch answer.status {
            // An unknown id is a 400, or a 404.
            case 400 where !Self.isAboutParameters(answer), 404, 410:
                throw Failure.notFound(reason: "Rijksmuseum has no \(name) \(link).")
            default:
                return try answer.decoded(
                    "\(MuseumLink.recordHost)", by: MuseumLink.recordHost, record)
            }
        } catch {
            throw error.naming("Rijksmuseum's \(name) \(link)")
        }
    }
}

/// Reduces a JSON object to some of its fields. Records have up to 100 kB, of which we need little.
struct JSONPart: Sendable {
    let names: Set<String>
    /// A valid document has at least one of these fields.
    let anyOf: Set<String>

    /// Returns the reduced document; `nil` if the body is not a JSON object or has none of the
    /// fields in `anyOf`.
    @Sendable func callAsFunction(_ body: [UInt8]) -> [UInt8]? {
        // The decoder of the response reports invalid JSON. Here it is only not cached.
        guard case .object(let members)? = try? JSON(parsing: body),
            members.contains(where: { anyOf.contains($0.name) })
        else { return nil }
        return JSON.object(members.filter { names.contains($0.name) }).bytes
    }
}

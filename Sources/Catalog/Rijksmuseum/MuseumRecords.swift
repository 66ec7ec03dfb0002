import Fetch
import Foundation

/// Reads the records behind an object's picture, one call each; every answer is kept for as long as
/// its kind changes little.
struct MuseumRecords: Sendable {
    let api: any APIReading

    private static let day: Double = 86_400

    /// A title or a maker may be put right any day.
    func object(_ link: MuseumLink) async throws(Failure) -> MuseumObject {
        try await read(
            link, called: "object", days: 1,
            part: JSONPart(
                names: ["id", "type", "identified_by", "produced_by", "shows"],
                anyOf: ["id", "type"]))
    }

    /// That there is no picture is not kept: how long that holds is for the caller to say.
    func visualItem(_ link: MuseumLink) async throws(Failure) -> VisualItem {
        try await read(
            link, called: "VisualItem", days: 7,
            part: JSONPart(
                names: ["id", "type", "subject_to", "digitally_shown_by"],
                anyOf: ["digitally_shown_by"]))
    }

    func digitalObject(_ link: MuseumLink) async throws(Failure) -> DigitalObject {
        try await read(
            link, called: "DigitalObject", days: 7,
            part: JSONPart(
                names: ["id", "type", "referred_to_by", "access_point"],
                anyOf: ["access_point"]))
    }

    /// The size of a picture, which stays; `nil` where it can't be had now: a picture can be asked
    /// for without.
    func info(_ service: ImageService) async throws(Failure) -> ImageServiceInfo? {
        var call = APICall(url: service.infoURL, allowedHosts: [MuseumHosts.images])
        call.maxRedirects = 1
        call.keeping = APICall.Keeping(
            key: call.url, timeToLive: 30 * Self.day,
            part: JSONPart(
                names: ["width", "height", "maxWidth", "maxHeight", "maxArea"],
                anyOf: ["width"]
            ).callAsFunction)
        do throws(Failure) {
            let answer = try await api.read(call)
            guard answer.isSuccess else { return nil }
            return try answer.decoded(ImageServiceInfo.self, from: "\(MuseumHosts.images)")
        } catch {
            guard error.isTransient else { throw error }
            return nil
        }
    }

    /// Whether a 400 tells of the call and not of the id: then it says nothing about the record.
    private static func isAboutParameters(_ answer: APIAnswer) -> Bool {
        struct Refusal: Decodable {
            var detail: String
        }
        // A body of another shape tells of no parameter.
        let refusal = try? answer.decoded(Refusal.self, from: "")
        return refusal?.detail.lowercased().contains("parameter") ?? false
    }

    /// The id host answers itself, or with 303 to the data host; to a browser's `Accept` it answers
    /// with 303 to a page for people, which is not followed.
    private func read<Record: Decodable>(
        _ link: MuseumLink, called name: String, days: Double, part: JSONPart
    ) async throws(Failure) -> Record {
        var call = APICall(url: link.url, allowedHosts: MuseumHosts.records)
        call.headers = [(name: "Accept", value: "application/ld+json")]
        call.maxRedirects = 1
        call.keeping = APICall.Keeping(
            key: call.url, timeToLive: days * Self.day, part: part.callAsFunction)
        do throws(Failure) {
            let answer = try await api.read(call)
            switch answer.status {
            case 200..<300:
                return try answer.decoded(Record.self, from: "\(MuseumHosts.record)")
            // An unknown id is a 400, or a 404.
            case 400 where !Self.isAboutParameters(answer), 404, 410:
                throw Failure.notFound(reason: "Rijksmuseum has no \(name) \(link).")
            default:
                throw answer.refusal(by: MuseumHosts.record)
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
        // The decoder of the response reports invalid JSON. Here it is only not kept.
        guard
            let fields = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any],
            !anyOf.isDisjoint(with: fields.keys),
            let part = try? JSONSerialization.data(
                withJSONObject: fields.filter { names.contains($0.key) },
                options: .withoutEscapingSlashes)
        else { return nil }
        return Array(part)
    }
}

import Catalog
import FoundationEssentials
import HTTP
import HTTPTypes
import Hashing
import Imaging
import Pipeline
import Store

/// Responds to `/iiif/2/…` and `/iiif/3/…`: the IIIF Image API.
struct IIIFResponder: Sendable {
    private static let previewLife = "public, max-age=\(Zoom.previewAge)"

    let pipeline: MediaPipeline
    let address: ServiceAddress

    private var tags: TagFields { TagFields(pipeline.configuration) }
    private var limits: IIIFSize.Limits { IIIFSize.Limits(pipeline) }

    func answer(
        _ route: IIIFRoute, _ request: Request
    ) async throws(Failure) -> Response {
        let (item, linkEnds) = try pipeline.item(identifier: route.identifier)
        let path = IIIFRoute.path(route.version, route.identifier)
        switch route.part {
        case .base:
            return Response(
                status: .seeOther,
                fields: [
                    .location: "\(path)/info.json", .accessControlAllowOrigin: "*",
                    .accessControlExposeHeaders: HTTPFields.exposed,
                    .cacheControl: "public, max-age=86400",
                ])
        case .information:
            return try await information(
                of: item, address.start(request), path, route.version, linkEnds, request)
        case .image(let region, let size, let rotation, let name):
            let image: IIIFImage
            do throws(IIIFError) {
                image = try IIIFImage(
                    route.version, region: region, size: size, rotation: rotation, name: name)
            } catch {
                return Self.problem(error)
            }
            return try await self.image(
                image, of: item, address.reference(path), linkEnds, request)
        }
    }

    // MARK: - Responses

    private func information(
        of item: Item, _ start: ServiceAddress.Start, _ path: String, _ version: IIIFVersion,
        _ linkEnds: Date?, _ request: Request
    ) async throws(Failure) -> Response {
        let facts = try await pipeline.zoom.facts(of: item)
        let level = IIIFLevel(of: item, pipeline.sources)
        let document = IIIFInformation(
            id: start.url + path, level: level, size: facts.size,
            levels: pipeline.configuration.levels,
            limits: limits, rights: try await pipeline.zoom.rights(of: item))
        let body = document.json(version)
        var fields: HTTPFields = [
            .contentType: request.jsonType(context: version == .three ? version.context : nil),
            .vary: "Accept",
            .eTag: Digest(of: body).entityTag, .accessControlAllowOrigin: "*",
            .accessControlExposeHeaders: HTTPFields.exposed,
            .xContentTypeOptions: "nosniff", .link: "<\(version.profile(level))>;rel=\"profile\"",
        ]
        if version == .two, fields[.contentType] == "application/json" {
            fields.append(
                HTTPField(
                    name: .link,
                    value: "<\(version.context)>;rel=\"http://www.w3.org/ns/json-ld#context\""
                        + ";type=\"application/ld+json\""))
        }
        if facts.isExpected {
            fields[.cacheControl] = Self.previewLife
        } else {
            fields.append(
                contentsOf: pipeline.lifeFields(until: facts.freshUntil, linkEnds: linkEnds))
        }
        fields.append(contentsOf: tags.of(item))
        if !start.isKnown { fields.forbidStoring() }
        return Response(status: .ok, fields: fields, body: body).unlessKnown(to: request)
    }

    /// - Parameter reference: of the item's service, for the field `Link`.
    private func image(
        _ image: IIIFImage, of item: Item, _ reference: String, _ linkEnds: Date?,
        _ request: Request
    ) async throws(Failure) -> Response {
        let size = try await pipeline.zoom.facts(of: item).size
        let level = IIIFLevel(of: item, pipeline.sources)
        let wanted: ZoomRequest
        do throws(IIIFError) {
            wanted = try image.resolved(in: size, limits)
        } catch {
            return Self.problem(error)
        }
        guard level == .two || wanted.isWhole(of: size) else {
            let title = try pipeline.sources.named(item.source).title
            return Self.problem(
                .notOffered(
                    "The terms of \(title) forbid cropping its pictures. Ask for the region full."))
        }
        let condition = ConditionalRequest(request.fields)
        let part = try await pipeline.zoom.part(of: item, wanted, size) { tag in
            condition.isNotModified(entityTag: "\"\(tag)\"", lastModified: nil)
        }
        let canonical = IIIFImage.canonicalPath(wanted, of: size, image.version, limits)
        var fields: HTTPFields = [
            .contentType: wanted.format.contentType, .eTag: "\"\(part.tag)\"",
            .lastModified: HTTPDate.format(part.renderedAt), .accessControlAllowOrigin: "*",
            .accessControlExposeHeaders: HTTPFields.exposed,
            .xContentTypeOptions: "nosniff", .cacheStatus: part.outcome.cacheStatus,
            .link:
                "<\(reference)/\(canonical)>;rel=\"canonical\","
                + "<\(image.version.profile(level))>;rel=\"profile\"",
        ]
        if part.isPreview, !part.isPrivate {
            fields[.cacheControl] = Self.previewLife
        } else {
            fields.append(
                contentsOf: pipeline.lifeFields(
                    until: part.freshUntil, linkEnds: linkEnds, isPrivate: part.isPrivate))
        }
        fields.append(contentsOf: tags.of(item))
        var response = Response(status: .ok, fields: fields)
        switch part.content {
        case .bytes(let bytes): response.body = bytes
        case .part(let blob, let range):
            response.file = FileBody(blob: blob, parts: [.range(range)])
        case .known: response.status = .notModified
        }
        return response.unlessKnown(to: request, lastModified: part.renderedAt)
    }

    private static func problem(_ error: IIIFError) -> Response {
        switch error {
        case .bad(let reason): ErrorResponse.problem(.invalid(reason: reason)).answer
        case .notOffered(let reason):
            Problem(
                status: .notImplemented, name: "not-offered", title: "Not offered", detail: reason
            ).answer
        }
    }
}

extension MediaPipeline {
    /// Returns an item of a body.
    ///
    /// - Parameters:
    ///   - name: `tvmaze/show/1`.
    ///   - isOfOperator: whether it may be of a source that is not offered.
    func item(named name: String, isOfOperator: Bool = false) throws(Failure) -> Item {
        guard let item = Item(name) else {
            throw .invalid(reason: "“\(name)” is not an item. Items look like tvmaze/show/1.")
        }
        return isOfOperator
            ? try catalogItem(source: item.source, kind: item.kind, id: item.id)
            : try self.item(source: item.source, kind: item.kind, id: item.id)
    }

    /// Returns the item of an identifier of IIIF, and when its URL expires.
    ///
    /// - Parameter identifier: decoded: `tvmaze/show/1`, `url/{signature}/{base64url}`, or that and the
    ///   seconds since 1970 at which it expires.
    /// - Throws: ``Failure`` of kind `notFound` for what can't be an identifier, `badSignature` for a wrong
    ///   or expired signature.
    func item(identifier: String) throws(Failure) -> (Item, linkEnds: Date?) {
        let parts = identifier.split(separator: "/", omittingEmptySubsequences: false)
            .map(String.init)
        let unknown = Failure.notFound(
            reason: "“\(identifier)” is not an item. Items look like tvmaze/show/1, with %2F for /."
        )
        guard parts.count >= 3 else { throw unknown }
        if parts[0] == SignedURL.name {
            let expires = parts.count == 4 ? Int(parts[3]) : nil
            guard parts.count == 3 || expires != nil else { throw unknown }
            let item = try signedItem(
                signature: parts[1], level: IIIFRoute.signedLevel, encodedURL: parts[2],
                expires: expires)
            return (item, expires.map { Date(timeIntervalSince1970: TimeInterval($0)) })
        }
        // Files in directories of a folder have further slashes.
        let id = parts[2...].joined(separator: "/")
        do throws(Failure) {
            return (try item(source: parts[0], kind: parts[1], id: id), linkEnds: nil)
        } catch {
            throw error.kind == .invalid ? .notFound(reason: error.reason) : error
        }
    }
}

extension HTTPField.Name {
    static let link = constant("Link")
}

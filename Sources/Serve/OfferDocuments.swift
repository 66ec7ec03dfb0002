import Catalog
import HTTPTypes
import Imaging
import Pipeline

/// The constant documents that show what a client may ask for: the gallery page, the description of the
/// API, and `/v1`. Known clients have their own where strangers may ask for less.
struct OfferDocuments: Sendable {
    struct Pair: Sendable {
        let gallery: PreparedDocument
        let description: PreparedDocument
        let service: PreparedDocument
    }

    private let known: Pair
    private let strangers: Pair

    init(
        _ edition: Edition, _ routes: RouteOffers, _ offer: ServerConfiguration.Offer,
        _ address: ServiceAddress
    ) {
        let (sources, levels) = (edition.sources.offered, edition.configuration.levels)
        func pair(isStranger: Bool, isForAll: Bool) -> Pair {
            func includes(_ route: Route) -> Bool {
                guard offer.includes(route) else { return false }
                return switch routes.admission(to: route) {
                case .all: true
                case .known: !isStranger
                case .none: false
                }
            }
            func offersOriginals(of source: any Source) -> Bool {
                includes(.original(source: source.name, kind: "", id: ""))
            }
            return Pair(
                gallery: Gallery(
                    sources, levels,
                    withoutOriginals: sources.filter { !offersOriginals(of: $0) }.map(\.name)
                ).document,
                description: OpenAPIDocument(sources, levels, includes: includes)
                    .prepared(isForAll: isForAll),
                service: ServiceDocument(sources, levels, address).prepared(isForAll: isForAll))
        }
        guard routes != .everything else {
            known = pair(isStranger: false, isForAll: true)
            strangers = known
            return
        }
        known = pair(isStranger: false, isForAll: false)
        strangers = pair(isStranger: true, isForAll: true)
    }

    func of(isStranger: Bool) -> Pair { isStranger ? strangers : known }
}

/// `/robots.txt`: crawlers may look at the page and at pictures that other pages show. They leave alone what
/// would have a catalog asked or a picture made for each of them.
enum Robots {
    static let document = PreparedDocument(
        Array(
            """
            User-agent: *
            Disallow: /v1/
            Disallow: /o/
            Disallow: /sheet/
            Disallow: /iiif/
            Disallow: /admin/
            Disallow: /metrics

            """.utf8),
        [
            .contentType: "text/plain; charset=utf-8", .cacheControl: "public, max-age=3600",
            .xContentTypeOptions: "nosniff",
        ])
}

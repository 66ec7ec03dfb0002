import HTTP

/// A group of routes that the operator can offer: a word of `server.offers`.
package enum RouteGroup: String, Sendable, CaseIterable {
    /// `/t/…`
    case thumbnails
    /// `/o/…`
    case originals
    /// `/b/…`
    case blobs
    /// `/v1/{source}/…`
    case lists
    /// `/`, with `/v1/status`
    case gallery
    /// `/iiif/…`
    case iiif
    /// `/sheet/…`
    case sheets
    /// `/metrics`
    case metrics
}

/// What clients may ask for. What a client may not ask for doesn't exist for it. Pure.
///
/// A client is known if it carries the admin token, or is certainly on this machine
/// (``PrivateAccess/isStranger(_:)``). All others are strangers.
package struct RouteOffers: Sendable, Equatable {
    /// The groups for all clients.
    private let forAll: Set<RouteGroup>
    /// The groups for known clients only.
    private let forKnown: Set<RouteGroup>
    /// Sources whose originals are for known clients only.
    private let keptSources: Set<String>

    /// For a service whose operator has chosen nothing.
    package static let everything = RouteOffers(
        forAll: Set(RouteGroup.allCases), forKnown: [], keptSources: [])

    /// Metrics are for known clients where they are not named.
    ///
    /// - Parameters:
    ///   - groups: those that the operator has named; empty for all. Then originals of `builtIn` sources are for
    ///     known clients only.
    ///   - builtIn: names of sources.
    package init(_ groups: [RouteGroup], builtIn: [String]) {
        let named = Set(groups.isEmpty ? RouteGroup.allCases.filter { $0 != .metrics } : groups)
        self.init(
            forAll: named, forKnown: Set([.metrics]).subtracting(named),
            keptSources: groups.isEmpty ? Set(builtIn) : [])
    }

    private init(
        forAll: Set<RouteGroup>, forKnown: Set<RouteGroup>, keptSources: Set<String>
    ) {
        self.forAll = forAll
        self.forKnown = forKnown
        self.keptSources = keptSources
    }

    /// Who may ask for a route.
    enum Admission: Sendable {
        case all, known, none
    }

    func admission(to route: Route) -> Admission {
        guard let group = route.group else { return .all }
        return admission(to: group, of: route.source)
    }

    /// - Parameter source: nil for routes of no source, or of several.
    func admission(to group: RouteGroup, of source: String?) -> Admission {
        if forAll.contains(group) {
            let isKept = group == .originals && source.map(keptSources.contains) ?? false
            return isKept ? .known : .all
        }
        return forKnown.contains(group) ? .known : .none
    }

    /// Returns whether all clients may ask for a target of hits, by the way it begins.
    func areForAll(_ target: UnsafeRawBufferPointer) -> Bool {
        let group: RouteGroup
        switch HitRoute(target) {
        case .picture: group = .thumbnails
        case .original: group = .originals
        case .blob: group = .blobs
        case .sheet: group = .sheets
        // Their responders look at the route.
        case .catalog, .description, .gallery, nil: return true
        }
        guard group == .originals, !keptSources.isEmpty else { return forAll.contains(group) }
        let name = target.dropFirst("/o/".utf8.count).prefix { $0 != UInt8(ascii: "/") }
        return admission(to: group, of: String(decoding: name, as: UTF8.self)) == .all
    }
}

extension Route {
    /// The group that it belongs to; nil for routes that every service has, and for those with an access of
    /// their own.
    var group: RouteGroup? {
        switch self {
        case .thumbnail: .thumbnails
        case .original: .originals
        case .blob: .blobs
        case .catalog: .lists
        case .sheet: .sheets
        case .iiif, .collection, .manifest: .iiif
        case .gallery, .status: .gallery
        case .metrics: .metrics
        case .favorites, .favorite, .history, .recent, .explanation, .warm, .warmRun, .purge,
            .blocks, .block, .service, .health, .readiness, .description, .robots:
            nil
        }
    }
}

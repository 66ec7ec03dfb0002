import Pipeline

extension CacheOutcome {
    /// The value of `Cache-Status` (RFC 9211).
    var cacheStatus: String {
        switch self {
        case .hit: "vitrine; hit"
        case .miss: "vitrine; fwd=miss; stored"
        case .collapsed: "vitrine; fwd=miss; collapsed"
        case .renewed: "vitrine; fwd=stale; stored"
        case .stale: "vitrine; fwd=stale"
        }
    }
}

import Pipeline

/// `Cache-Status` (RFC 9211).
enum CacheStatus {
    static func field(_ outcome: CacheOutcome) -> String {
        switch outcome {
        case .hit: "vitrine; hit"
        case .miss: "vitrine; fwd=miss; stored"
        case .collapsed: "vitrine; fwd=miss; collapsed"
        case .renewed: "vitrine; fwd=stale; stored"
        case .stale: "vitrine; fwd=stale"
        }
    }
}

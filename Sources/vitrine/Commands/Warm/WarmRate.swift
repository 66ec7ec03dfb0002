import App
import ArgumentParser
import Fetch

/// A rate on the command line: `20` requests per second, or `100/1m`.
struct WarmRate: ExpressibleByArgument, Equatable {
    let rate: HostPolicy.Rate

    init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        switch parts.count {
        case 1:
            guard let perSecond = Double(parts[0]), (0.001...10_000).contains(perSecond) else {
                return nil
            }
            // Less than one a second is one in a longer time.
            let count = max(1, perSecond.rounded(.down))
            rate = HostPolicy.Rate(count: Int(count), per: .seconds(count / perSecond))
        case 2:
            guard let count = Int(parts[0]), (1...10_000).contains(count),
                let per = DurationText.parse(String(parts[1])), per > .zero
            else { return nil }
            rate = HostPolicy.Rate(count: count, per: per)
        default: return nil
        }
    }
}

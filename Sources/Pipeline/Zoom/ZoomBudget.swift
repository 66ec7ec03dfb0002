import Catalog

/// How many pixels per minute are resampled for each picture. Pure; takes the seconds of a clock.
///
/// Requests for parts in ever new sizes cost time and can't be cached, so that each picture has a budget
/// that refills.
struct ZoomBudget {
    /// Pictures that are remembered. The fullest are forgotten first, which changes nothing for them.
    private static let most = 4_096

    private struct Account {
        var left: Double
        var at: Double
    }

    private let perMinute: Int
    private var accounts: [Item: Account] = [:]

    init(perMinute: Int) { self.perMinute = perMinute }

    /// Takes pixels from a picture's budget. Returns nil, or the seconds after which there are enough.
    ///
    /// Work that is larger than the whole budget is allowed once the budget is full.
    mutating func take(_ pixels: Int, of item: Item, at now: Double) -> Int? {
        let most = Double(perMinute)
        let perSecond = most / 60
        let account = accounts[item]
        let left = account.map { min(most, $0.left + max(0, now - $0.at) * perSecond) } ?? most
        let needed = min(Double(pixels), most)
        guard left >= needed else {
            accounts[item] = Account(left: left, at: now)
            return max(1, Int(((needed - left) / perSecond).rounded(.up)))
        }
        accounts[item] = Account(left: left - Double(pixels), at: now)
        if accounts.count > Self.most { forget(at: now, perSecond) }
        return nil
    }

    /// Returns pixels that were taken and not resampled.
    mutating func giveBack(_ pixels: Int, of item: Item) {
        accounts[item]?.left += Double(pixels)
    }

    private mutating func forget(at now: Double, _ perSecond: Double) {
        let fullest = accounts.sorted {
            $0.value.left + (now - $0.value.at) * perSecond
                > $1.value.left + (now - $1.value.at) * perSecond
        }
        for entry in fullest.prefix(Self.most / 8) { accounts[entry.key] = nil }
    }
}

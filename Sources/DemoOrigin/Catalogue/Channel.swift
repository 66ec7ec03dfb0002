/// An invented network or streaming channel.
struct Channel: Sendable, Equatable {
    let id: Int
    let name: String
    let country: Country?
    /// Streaming channels are `webChannel` in the API, others `network`.
    var isWeb: Bool { country == nil }

    struct Country: Sendable, Equatable {
        let name: String
        let code: String
        let timezone: String
    }

    static let all: [Channel] = [
        Channel(id: 1, name: "Northlight", country: unitedKingdom),
        Channel(id: 2, name: "Harbour One", country: unitedKingdom),
        Channel(id: 3, name: "Meridian West", country: unitedStates),
        Channel(id: 4, name: "Tallgrass Television", country: unitedStates),
        Channel(id: 5, name: "Ninefold", country: unitedStates),
        Channel(id: 6, name: "Maple Public", country: canada),
        Channel(id: 7, name: "Skerry TV", country: norway),
        Channel(id: 8, name: "Kanalen Åtta", country: sweden),
        Channel(id: 9, name: "Fünfte Linie", country: germany),
        Channel(id: 10, name: "Canal Boréal", country: france),
        Channel(id: 11, name: "Southern Cross Nine", country: australia),
        Channel(id: 12, name: "Hoshizora", country: japan),
        Channel(id: 13, name: "Lantern+", country: nil),
        Channel(id: 14, name: "Streamhouse", country: nil),
        Channel(id: 15, name: "Papertown", country: nil),
        Channel(id: 16, name: "Velvet Signal", country: nil),
    ]

    private static let unitedKingdom = Country(
        name: "United Kingdom", code: "GB", timezone: "Europe/London")
    private static let unitedStates = Country(
        name: "United States", code: "US", timezone: "America/New_York")
    private static let canada = Country(name: "Canada", code: "CA", timezone: "America/Toronto")
    private static let norway = Country(name: "Norway", code: "NO", timezone: "Europe/Oslo")
    private static let sweden = Country(name: "Sweden", code: "SE", timezone: "Europe/Stockholm")
    private static let germany = Country(name: "Germany", code: "DE", timezone: "Europe/Berlin")
    private static let france = Country(name: "France", code: "FR", timezone: "Europe/Paris")
    private static let australia = Country(
        name: "Australia", code: "AU", timezone: "Australia/Sydney")
    private static let japan = Country(name: "Japan", code: "JP", timezone: "Asia/Tokyo")

    /// What its shows speak.
    var language: String {
        switch country?.code {
        case "NO": "Norwegian"
        case "SE": "Swedish"
        case "DE": "German"
        case "FR": "French"
        case "JP": "Japanese"
        default: "English"
        }
    }
}

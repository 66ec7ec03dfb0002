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

    /// What its shows speak.
    let language: String

    static let all: [Channel] = Words.rows("channels").enumerated().map { index, row in
        let country =
            row.count > 2 ? Country(name: row[2], code: row[3], timezone: row[4]) : nil
        return Channel(id: index + 1, name: row[0], country: country, language: row[1])
    }
}

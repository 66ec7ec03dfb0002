extension DemoShow {
    /// Draws everything but the title from `random`.
    init(id: Int, title: String, _ random: inout SeededRandom) {
        self.id = id
        self.title = title
        peculiarity = Peculiarity(show: id)
        channel = random.pick(Channel.all)
        language = channel.language
        let main = random.pick(Self.mainGenres)
        let others = Self.sideGenres.filter { $0 != main }
        genres = [main] + random.picks(random.integer(in: 0...2), of: others)
        kind =
            main == "History" && random.chance(0.5)
            ? .documentary : random.chance(0.12) ? .animation : .scripted
        let first = random.integer(in: 1988...2025)
        premiered = random.chance(0.97) ? Self.date(in: first, &random) : nil
        let last = first + random.integer(in: 0...9)
        ended = premiered != nil && last < 2025 ? Self.date(in: last + 1, &random) : nil
        runtime = random.chance(0.9) ? random.pick([22, 25, 30, 45, 50, 60, 60]) : nil
        day = random.pick(Self.days)
        time = channel.isWeb ? "" : random.pick(["19:30", "20:00", "20:15", "21:00", "22:00"])
        rating = random.chance(0.85) ? random.integer(in: 48...93) : nil
        weight = random.integer(in: 1...100)
        summary =
            random.chance(0.96)
            ? Synopsis.html(title: title, genres: genres, &random) : nil
        updated = random.integer(in: 1_500_000_000...1_760_000_000)
    }

    static func date(in year: Int, _ random: inout SeededRandom) -> String {
        let month = random.integer(in: 1...12)
        let day = random.integer(in: 1...28)
        return "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
    }

    private static let mainGenres = [
        "Drama", "Drama", "Comedy", "Thriller", "Crime", "Mystery", "Science-Fiction", "Fantasy",
        "Adventure", "History", "Romance", "Family", "Horror",
    ]
    private static let sideGenres = [
        "Drama", "Comedy", "Thriller", "Mystery", "Fantasy", "Adventure", "Romance", "Music",
        "Nature", "War", "Western", "Supernatural",
    ]
    private static let days = [
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    ]
}

/// An invented film.
package struct DemoFilm: Sendable, Equatable {
    /// Its place by popularity, from 0.
    let number: Int
    package let title: String
    let genres: [FilmGenre]
    let language: String
    /// ISO date.
    let date: String
    let runtime: Int
    /// 0…10 with three decimals, in thousandths.
    let vote: Int
    let votes: Int
    let director: FilmPerson
    let cast: [FilmPerson]
    let studio: String
    let tagline: String

    package var id: Int { 100_007 + number * 13 }

    static func number(id: Int) -> Int? {
        let offset = id - 100_007
        return offset >= 0 && offset.isMultiple(of: 13) ? offset / 13 : nil
    }

    /// In thousandths; falls as the number rises.
    var popularity: Int { 2_400_000 / (4 + number) * 4 + number % 7 }

    var year: Int { Int(date.prefix(4)) ?? 0 }

    var peculiarity: TMDBPeculiarity? { TMDBPeculiarity(film: number) }
}

/// Somebody who makes films, or plays in them; there are forty.
struct FilmPerson: Sendable, Hashable {
    let number: Int

    static let count = 40

    var id: Int { 50_021 + number * 17 }

    /// First names and surnames come round at different times, so that all forty differ.
    var name: String {
        "\(Self.firstNames[number % 8]) \(Self.surnames[(number / 8 * 3 + number % 8 * 5) % 15])"
    }

    private static let firstNames = Words.list("people.firstNames")
    private static let surnames = Words.list("people.surnames")
}

/// The genres of the film catalogue, with its ids.
enum FilmGenre: Int, Sendable, CaseIterable {
    case action = 28
    case adventure = 12
    case animation = 16
    case comedy = 35
    case crime = 80
    case documentary = 99
    case drama = 18
    case family = 10_751
    case fantasy = 14
    case history = 36
    case horror = 27
    case music = 10_402
    case mystery = 9_648
    case romance = 10_749
    case scienceFiction = 878
    case tvMovie = 10_770
    case thriller = 53
    case war = 10_752
    case western = 37

    var name: String {
        switch self {
        case .action: "Action"
        case .adventure: "Adventure"
        case .animation: "Animation"
        case .comedy: "Comedy"
        case .crime: "Crime"
        case .documentary: "Documentary"
        case .drama: "Drama"
        case .family: "Family"
        case .fantasy: "Fantasy"
        case .history: "History"
        case .horror: "Horror"
        case .music: "Music"
        case .mystery: "Mystery"
        case .romance: "Romance"
        case .scienceFiction: "Science Fiction"
        case .tvMovie: "TV Movie"
        case .thriller: "Thriller"
        case .war: "War"
        case .western: "Western"
        }
    }
}

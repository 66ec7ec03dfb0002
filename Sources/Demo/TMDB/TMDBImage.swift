import PlayedAPIs

/// One picture of the film catalog's image host, in all of its sizes.
struct TMDBImage: Sendable, Hashable {
    enum Subject: Sendable, Hashable {
        /// Number of the film and which of its posters; the second one has no words on it.
        case poster(Int, variant: Int)
        case backdrop(Int, variant: Int)
        /// Number of the person.
        case profile(Int)
    }

    let subject: Subject

    /// `/628Dep6AxEtDxjZoGP78TsOxYbK.jpg`.
    var path: String { "/\(Self.names.name(number)).jpg" }

    /// Pixels of the original.
    var pixels: (width: Int, height: Int) {
        switch subject {
        case .poster(let film, let variant): Self.posters[(film + variant) % Self.posters.count]
        case .backdrop: (1_920, 1_080)
        case .profile: (800, 1_200)
        }
    }

    /// The language of the words on it; `nil` if it has no words.
    var language: String? {
        switch subject {
        case .poster(_, let variant): Self.languages[variant]
        case .backdrop, .profile: nil
        }
    }

    /// Returns the pixels of a size such as `w342`; `nil` if this kind of picture doesn't have it.
    func pixels(size: some StringProtocol) -> (width: Int, height: Int)? {
        let (width, height) = pixels
        guard sizes.contains(where: { $0 == size }) else { return nil }
        guard let side = Int(size.dropFirst()) else { return (width, height) }
        let (over, under) = size.hasPrefix("w") ? (height, width) : (width, height)
        let other = (Double(side) * Double(over) / Double(under)).rounded()
        return size.hasPrefix("w") ? (side, Int(other)) : (Int(other), side)
    }

    private var sizes: [String] {
        switch subject {
        case .poster: TMDBDocument.posterSizes
        case .backdrop: TMDBDocument.backdropSizes
        case .profile: TMDBDocument.profileSizes
        }
    }

    private static let languages: [String?] = ["en", nil, "uk", "nl"]
    /// Posters aren't always 2:3.
    private static let posters = [
        (1_000, 1_500), (1_200, 1_800), (1_000, 1_500), (1_000, 1_480), (1_080, 1_600),
        (1_000, 1_350),
    ]
    private static let names = OpaqueName(salt: 51, alphabet: .base62, length: 27)

    private var number: Int {
        switch subject {
        case .poster(let film, let variant): film * 16 + variant
        case .backdrop(let film, let variant): film * 16 + 4 + variant
        case .profile(let person): person * 16 + 8
        }
    }

    init(subject: Subject) {
        self.subject = subject
    }

    /// Returns nil if the file does not belong to a picture.
    init?(file: some StringProtocol) {
        guard file.hasSuffix(".jpg"), let number = Self.names.number(file.dropLast(4)) else {
            return nil
        }
        let kind = number % 16
        switch kind {
        case 0...3: subject = .poster(number / 16, variant: kind)
        case 4, 5: subject = .backdrop(number / 16, variant: kind - 4)
        case 8: subject = .profile(number / 16)
        default: return nil
        }
    }
}

import PlayedAPIs

/// One file of the image host: which picture of which show, and which size of it.
struct TVMazePicture: Sendable, Hashable {
    /// The folders of the image host.
    enum Size: String, Sendable {
        case original = "original_untouched"
        /// 210×295 exactly, whatever the original's shape.
        case portrait = "medium_portrait"
        /// 758×140.
        case leaderboard = "medium_leaderboard"
    }

    /// A show has up to five pictures.
    enum Slot: Int, Sendable, CaseIterable {
        case mainPoster, otherPoster, background, banner, unclassified

        /// What the API calls it. Old pictures have no type.
        var type: String? {
            switch self {
            case .mainPoster, .otherPoster: "poster"
            case .background: "background"
            case .banner: "banner"
            case .unclassified: nil
            }
        }

        /// Backgrounds and the unclassified have no medium size.
        var mediumSize: Size? {
            switch self {
            case .mainPoster, .otherPoster: .portrait
            case .banner: .leaderboard
            case .background, .unclassified: nil
            }
        }
    }

    let show: Int
    let slot: Slot
    let size: Size

    var pixels: (width: Int, height: Int) {
        switch (size, slot) {
        case (.portrait, _): (210, 295)
        case (.leaderboard, _), (.original, .banner): (758, 140)
        case (.original, .mainPoster), (.original, .otherPoster): (680, 1_000)
        case (.original, .background): (1_280, 720)
        case (.original, .unclassified): (700, 467)
        }
    }

    /// The number that names a picture: ten for each show.
    var number: Int { show * 10 + slot.rawValue }

    /// `/uploads/images/original_untouched/12/30010.jpg`; the folder is the number by 2,500.
    var path: String { "/uploads/images/\(size.rawValue)/\(number / 2_500)/\(number).jpg" }

    var url: String { "https://\(DemoShow.imageHost)\(path)" }

    init(show: Int, slot: Slot, size: Size) {
        self.show = show
        self.slot = slot
        self.size = size
    }

    /// Returns nil if the path does not belong to a picture.
    init?(path: String) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 6, let size = Size(rawValue: String(parts[3])),
            parts[5].hasSuffix(".jpg"), let number = Int(parts[5].dropLast(4)),
            let slot = Slot(rawValue: number % 10)
        else { return nil }
        self.init(show: number / 10, slot: slot, size: size)
        guard self.path == path else { return nil }
    }
}

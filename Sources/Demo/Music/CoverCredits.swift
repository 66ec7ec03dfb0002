/// What stands on a cover.
struct CoverCredits: Sendable, Hashable {
    let artist: String
    let title: String
    let label: String
    let year: Int
    let number: Int
    let genre: MusicGenre

    init(_ album: DemoAlbum, in catalog: MusicCatalog) {
        artist = catalog.artist(of: album).name
        title = album.title
        label = album.label
        year = album.year
        number = album.number
        genre = album.genre
    }
}

/// An invented musician or band.
package struct DemoArtist: Sendable, Equatable {
    /// Its place among all artists, from 0.
    let number: Int
    package let name: String
    let genre: MusicGenre
    /// How many play: 1 to 5.
    let members: Int
    let followers: Int
    /// 0…100.
    let popularity: Int
    /// Numbers of its albums, newest first.
    package let albums: [Int]
}

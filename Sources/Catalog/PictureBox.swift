/// The pixels that a picture should cover, which is a level's box.
package struct PictureBox: Sendable, Hashable {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}

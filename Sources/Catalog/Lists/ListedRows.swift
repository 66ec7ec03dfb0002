/// How many rows a list has.
package struct ListedRows: Sendable, Equatable {
    package var all: Int
    /// Those that repeat an earlier one.
    package var doubles: Int
    /// Those that can't be read.
    package var refused: Int

    package init(all: Int, doubles: Int, refused: Int) {
        self.all = all
        self.doubles = doubles
        self.refused = refused
    }
}

/// A line of a list that can't be read.
package struct BadLine: Error, Equatable {
    package var line: Int
    package var reason: String

    package init(line: Int, reason: String) {
        self.line = line
        self.reason = reason
    }
}

/// Finds the name that a mistyped one probably stands for.
package enum NearestName {
    /// Returns the name with the fewest edits; `nil` if they are too many for its length. The first
    /// of equals wins.
    package static func of(_ typed: String, among names: [String]) -> String? {
        let typed = typed.lowercased()
        let length = typed.count
        var best: (name: String, edits: Int)?
        // Each letter more or less is an edit.
        for name in names where abs(name.count - length) <= mostEdits {
            let edits = distance(typed, name.lowercased())
            // A name of one letter is not a better guess than any other.
            guard edits <= max(1, min(mostEdits, name.count / 3)), edits < name.count else {
                continue
            }
            if edits < best?.edits ?? .max { best = (name, edits) }
        }
        return best?.name
    }

    private static let mostEdits = 3

    /// Returns the number of edits (insert, delete, replace, swap neighbors): the optimal string
    /// alignment distance.
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        var beforeLast = [Int](repeating: 0, count: right.count + 1)
        var last = Array(0...right.count)
        for (row, character) in left.enumerated() {
            var current = [row + 1] + [Int](repeating: 0, count: right.count)
            for (column, other) in right.enumerated() {
                let replace = last[column] + (character == other ? 0 : 1)
                var fewest = min(replace, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, character == right[column - 1], left[row - 1] == other {
                    fewest = min(fewest, beforeLast[column - 1] + 1)
                }
                current[column + 1] = fewest
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}

/// A list of which no line can be read. The reason is one sentence, or two.
package struct UnreadableList: Error, Equatable {
    package var reason: String
}

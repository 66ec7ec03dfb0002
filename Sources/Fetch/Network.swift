/// An address range in CIDR form, `10.0.0.0/8` or `fd00::/8`; a bare address is a range of one.
package struct Network: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    /// `nil` where the text is not a range.
    package init?(_ text: String) {
        description = text
    }
}

extension JSON {
    /// How much is in a document, by a look at each of its bytes, before anything is made of them.
    package struct Extent: Sendable, Equatable {
        /// Values of all kinds, and those of them that have a name.
        package private(set) var values = 1
        package private(set) var members = 0
        /// Lists and objects.
        private var containers = 0
        /// Texts that take memory of their own, and the bytes of all texts and numbers.
        private var longTexts = 0
        private var textBytes = 0

        /// Bytes of a list or an object besides its values, and of a long text besides its own.
        private static let perContainer = 64
        private static let perLongText = 48
        /// Bytes of a text that needs no memory of its own.
        private static let shortText = 15
        /// A list that grows has up to three times the memory of its values for a moment.
        private static let growth = 3

        /// Bytes that ``JSON/init(parsing:atMost:)`` takes for the document, at most.
        package var memory: Int {
            let (value, member) = (MemoryLayout<JSON>.stride, MemoryLayout<Member>.stride)
            return containers * Self.perContainer
                + (max(0, values - members) * value + members * member) * Self.growth
                + longTexts * Self.perLongText + textBytes
        }

        package init(of document: [UInt8]) {
            document.withUnsafeBytes { bytes in
                var index = 0
                while index < bytes.count {
                    switch bytes[index] {
                    case UInt8(ascii: "{"), UInt8(ascii: "["):
                        containers += 1
                        values += 1
                    case UInt8(ascii: ","): values += 1
                    case UInt8(ascii: ":"): members += 1
                    case UInt8(ascii: "\""): index = text(in: bytes, from: index + 1)
                    case UInt8(ascii: "0")...UInt8(ascii: "9"): textBytes += 1
                    default: break
                    }
                    index += 1
                }
            }
        }

        /// Counts a text, and returns where it ends.
        private mutating func text(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
            var index = start
            while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
                index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
            }
            let count = min(index, bytes.count) - start
            if count > Self.shortText { longTexts += 1 }
            textBytes += count
            return index
        }
    }

    /// Bytes of memory that a document may take: more than ten times what a page of 250 shows takes, or what a
    /// list of half a million numbers does.
    package static let mostMemory = 48 << 20

    /// A document that would take more memory than it may.
    package struct TooLarge: Error, Equatable {
        package var extent: Extent
        /// Bytes.
        package var limit: Int
    }
}

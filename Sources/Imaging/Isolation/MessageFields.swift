/// Writes or reads the fields of a message between processes: one list of fields serves both, so that they
/// can't disagree.
struct MessageFields {
    private var writer = ByteWriter()
    private var reader: ByteReader?
    /// Whether all fields that were read are such as are written.
    private(set) var isValid = true

    /// Returns the bytes of a message.
    static func bytes(_ fields: (inout Self) -> Void) -> [UInt8] {
        var message = Self()
        fields(&message)
        return message.writer.bytes
    }

    /// Reads the fields of a message; returns whether these are all of its bytes, and valid.
    static func read(_ bytes: [UInt8], _ fields: (inout Self) -> Void) -> Bool {
        var message = Self()
        message.reader = ByteReader(bytes)
        fields(&message)
        return message.isValid && message.reader?.remaining == 0
    }

    /// A number of at most `count` bytes, 1…7.
    mutating func number(_ value: inout Int, _ count: Int, in range: ClosedRange<Int>? = nil) {
        if reader == nil { return writer.put(value, count) }
        guard isValid, let read = reader?.bigEndian(count), range?.contains(read) ?? true else {
            isValid = false
            return
        }
        value = read
    }

    /// A value that a number of one byte stands for.
    mutating func coded<Value>(
        _ value: inout Value, _ code: (Value) -> Int, _ decoded: (Int) -> Value?
    ) {
        var number = reader == nil ? code(value) : 0
        self.number(&number, 1)
        if reader == nil || !isValid { return }
        guard let read = decoded(number) else {
            isValid = false
            return
        }
        value = read
    }

    /// A value that several numbers of one byte stand for.
    mutating func coded<Value>(
        _ value: inout Value, _ code: (Value) -> [Int], _ decoded: ([Int]) -> Value?
    ) {
        var numbers = code(value)
        for index in numbers.indices { number(&numbers[index], 1) }
        if reader == nil || !isValid { return }
        guard let read = decoded(numbers) else {
            isValid = false
            return
        }
        value = read
    }

    mutating func flag(_ value: inout Bool) {
        coded(&value, { $0 ? 1 : 0 }, { $0 == 1 ? true : $0 == 0 ? false : nil })
    }

    mutating func one<Value: CaseIterable & Equatable>(of value: inout Value) {
        let all = Array(Value.allCases)
        coded(
            &value, { all.firstIndex(of: $0) ?? 0 }, { all.indices.contains($0) ? all[$0] : nil })
    }

    /// A list of at most `most` elements.
    mutating func list<Element>(
        _ list: inout [Element], most: Int, of empty: Element,
        _ fields: (inout Element, inout Self) -> Void
    ) {
        var count = list.count
        number(&count, 2, in: 0...most)
        if reader != nil { list = isValid ? Array(repeating: empty, count: count) : [] }
        for index in list.indices where isValid { fields(&list[index], &self) }
    }

    /// A value that may be missing.
    mutating func optional<Value>(
        _ value: inout Value?, of empty: Value, _ fields: (inout Value, inout Self) -> Void
    ) {
        var isThere = value != nil
        flag(&isThere)
        guard isThere, isValid else {
            if reader != nil { value = nil }
            return
        }
        var inner = value ?? empty
        fields(&inner, &self)
        value = inner
    }
}

/// A message between processes: one list of fields serves for writing and for reading, so that these can't
/// disagree.
protocol Message {
    /// One whose fields are to be read.
    static var blank: Self { get }

    mutating func fields(_ message: inout MessageFields)
}

extension Message {
    var bytes: [UInt8] {
        var written = self
        return MessageFields.bytes { written.fields(&$0) }
    }

    /// Returns nil unless the bytes are exactly those of a message.
    init?(bytes: [UInt8]) {
        self = Self.blank
        guard MessageFields.read(bytes, { fields(&$0) }) else { return nil }
    }
}

/// Writes or reads the fields of a message.
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
    mutating func number<Value: FixedWidthInteger>(
        _ value: inout Value, _ count: Int, in range: ClosedRange<Int>? = nil
    ) {
        if reader == nil { return writer.put(Int(truncatingIfNeeded: value), count) }
        guard isValid, let read = reader?.bigEndian(count), range?.contains(read) ?? true else {
            isValid = false
            return
        }
        value = Value(truncatingIfNeeded: read)
    }

    /// What holds for the values of a valid message.
    mutating func require(_ holds: @autoclosure () -> Bool) {
        if reader != nil, isValid { isValid = holds() }
    }

    /// Bytes; `count` says how many are read.
    mutating func bytes(_ value: inout [UInt8], _ count: Int) {
        if reader == nil { return writer.put(value) }
        guard isValid, let read = reader?.bytes(count) else {
            isValid = false
            return
        }
        value = read
    }

    /// Bytes of several, one after the other; `counts` are fields before.
    mutating func bytes(_ values: inout [[UInt8]], _ counts: [Int]) {
        if reader == nil {
            writer.reserve(counts.reduce(0, +))
        } else {
            values = Array(repeating: [], count: counts.count)
        }
        for index in counts.indices where isValid { bytes(&values[index], counts[index]) }
    }

    /// The rest of a message as text, of which at most 2,000 bytes are written.
    mutating func text(_ value: inout String) {
        var bytes = Array(value.utf8.prefix(2_000))
        self.bytes(&bytes, reader?.remaining ?? 0)
        if reader != nil { value = String(decoding: bytes, as: UTF8.self) }
    }

    mutating func color(_ value: inout RGB) {
        number(&value.red, 1)
        number(&value.green, 1)
        number(&value.blue, 1)
    }

    /// A value that a number of one byte stands for.
    mutating func coded<Value>(
        _ value: inout Value, _ code: (Value) -> Int, _ decoded: (Int) -> Value?
    ) {
        coded(&value, { [code($0)] }, { decoded($0[0]) })
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

    /// A list. The number of its elements comes first, in `bytes` bytes.
    mutating func list<Element>(
        _ list: inout [Element], in range: ClosedRange<Int>, bytes: Int = 2, of empty: Element,
        _ fields: (inout Element, inout Self) -> Void
    ) {
        var count = list.count
        number(&count, bytes, in: range)
        elements(&list, count, of: empty, fields)
    }

    /// The elements of a list; `count` says how many are read.
    mutating func elements<Element>(
        _ list: inout [Element], _ count: Int, of empty: Element,
        _ fields: (inout Element, inout Self) -> Void
    ) {
        if reader == nil {
            for index in list.indices { fields(&list[index], &self) }
            return
        }
        list = []
        // One by one, so that a number that the message has no bytes for takes no memory.
        while isValid, list.count < count {
            var element = empty
            fields(&element, &self)
            list.append(element)
        }
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

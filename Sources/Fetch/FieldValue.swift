/// Values of header fields as texts. HTTP's values are bytes (RFC 9110, section 5.5), of which each becomes the
/// character with its number.
extension String {
    init(fieldBytes: some Sequence<UInt8>) {
        var scalars = UnicodeScalarView()
        scalars.append(contentsOf: fieldBytes.lazy.map { Unicode.Scalar($0) })
        self.init(scalars)
    }

    /// The bytes that became this value; those of UTF-8 if it can't have come from a field.
    var fieldBytes: [UInt8] {
        var bytes: [UInt8] = []
        for scalar in unicodeScalars {
            guard let byte = UInt8(exactly: scalar.value) else { return Array(utf8) }
            bytes.append(byte)
        }
        return bytes
    }

    /// The value of a `Location` as a URL. Bytes that aren't UTF-8 become percent codes, as in browsers.
    var locationURL: String {
        let bytes = fieldBytes
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        let digits = Array("0123456789ABCDEF".utf8)
        let encoded = bytes.flatMap { byte -> [UInt8] in
            byte < 0x80 ? [byte] : [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}

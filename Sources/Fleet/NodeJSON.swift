import FoundationEssentials
import WorkQueue

/// JSON that nodes write for each other.
enum NodeJSON {
    /// - Parameter what: names the document in the error.
    static func encode(
        _ value: some Encodable, _ what: String, dates: JSONEncoder.DateEncodingStrategy? = nil
    ) throws(QueueError) -> [UInt8] {
        let encoder = JSONEncoder()
        if let dates { encoder.dateEncodingStrategy = dates }
        do {
            return Array(try encoder.encode(value))
        } catch {
            throw .failed(operation: "write \(what)", reason: "\(error)")
        }
    }

    /// Returns nil for bytes that this version can't read. The caller says what that means: another
    /// version of the program may have written them.
    static func decode<Value: Decodable>(
        _ type: Value.Type, _ bytes: [UInt8], dates: JSONDecoder.DateDecodingStrategy? = nil
    ) -> Value? {
        let decoder = JSONDecoder()
        if let dates { decoder.dateDecodingStrategy = dates }
        return try? decoder.decode(type, from: Data(bytes))
    }
}

import HTTPTypes
import HitServer

extension FieldBlock {
    /// The request without its body; nil if its method is not valid.
    var request: Request? {
        guard let method = HTTPRequest.Method(text(method)) else { return nil }
        var fields = HTTPFields()
        fields.reserveCapacity(self.fields.count)
        for (name, value) in self.fields {
            guard let name = HTTPField.Name(text(name)) else { continue }
            fields.append(HTTPField(name: name, value: text(value)))
        }
        return Request(
            method: method, target: text(target), fields: fields,
            authority: (authority ?? host).map(text))
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }
}

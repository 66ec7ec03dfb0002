import PlayedAPIs

/// id.rijksmuseum.nl: records for programs, pages for people.
struct RijksmuseumRecordSite: DemoSite {
    let records: RijksmuseumRecords

    var hosts: [String] { [MuseumDocument.recordHost] }

    func answer(_ request: DemoRequest) -> DemoAnswer {
        let accept = request.accept ?? "*/*"
        guard accept.contains("json") else {
            return accept.contains("text/html")
                ? redirect("https://www.rijksmuseum.nl/nl/collectie/object\(request.path)")
                : redirect("https://\(MuseumDocument.searchHost)\(request.path)")
        }
        return records.takesDetour(request.path)
            ? redirect("https://\(MuseumDocument.searchHost)\(request.path)")
            : records.answer(request.path)
    }

    private func redirect(_ address: String) -> DemoAnswer {
        var answer = DemoAnswer.html("303 See Other", status: 303)
        answer.fields["Location"] = address
        answer.fields["Vary"] = "Accept"
        return answer
    }
}

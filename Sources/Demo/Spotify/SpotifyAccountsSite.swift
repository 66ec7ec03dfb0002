import PlayedAPIs

/// accounts.spotify.com: tokens for client credentials.
struct SpotifyAccountsSite: DemoSite {
    let tokens: SpotifyTokens

    var hosts: [String] { [SpotifyDocument.accountsHost] }
    var takesPosts: Bool { true }

    func answer(_ request: DemoRequest) -> DemoAnswer {
        guard request.path == "/api/token" else { return .notFound }
        guard request.isPost else { return .html("405 Method Not Allowed", status: 405) }
        let form = QueryText.fields(String(decoding: request.body, as: UTF8.self))
        let grant = form.first { $0.name == "grant_type" }?.value
        guard grant == "client_credentials" else {
            let name = grant == nil ? "invalid_request" : "unsupported_grant_type"
            return unkept(
                SpotifyDocument.refusal(name, "grant_type must be client_credentials"), status: 400)
        }
        guard let token = tokens.token(authorization: request.authorization) else {
            return unkept(
                SpotifyDocument.refusal("invalid_client", "Invalid client"), status: 400)
        }
        return unkept(
            SpotifyDocument.token(token.text, seconds: .integer(token.seconds)), status: 200)
    }

    private func unkept(_ json: JSON, status: Int) -> DemoAnswer {
        var answer = DemoAnswer.json(json, status: status)
        answer.fields["Cache-Control"] = "no-cache, no-store, must-revalidate"
        return answer
    }
}

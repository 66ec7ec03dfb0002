/// What of a request goes on to the place an answer points to. Pure.
enum RedirectPolicy {
    /// What is sent on.
    struct Hop: Equatable {
        var method: FetchRequest.Method
        var keepsBody: Bool
        /// Whether fields that may hold secrets go along.
        var keepsSecrets: Bool
    }

    /// Statuses that name another place in `Location` for the same purpose; 300 leaves a choice.
    static func isRedirect(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// How to follow `status`; `nil` where it must not be followed.
    ///
    /// 303 always means GET; 301 and 302 turn a POST into GET as every browser does (RFC 9110,
    /// section 15.4). A POST kept by 307 or 308 stays at its origin: its body may hold credentials.
    static func hop(
        status: Int, method: FetchRequest.Method, sameOrigin: Bool
    ) -> Hop? {
        switch (status, method) {
        case (301, _), (302, _), (303, _), (_, .get):
            Hop(method: .get, keepsBody: false, keepsSecrets: sameOrigin)
        case (_, .post):
            sameOrigin ? Hop(method: .post, keepsBody: true, keepsSecrets: true) : nil
        }
    }

    /// Fields that may go to another origin; any other may be a credential.
    static func isPublic(field name: String) -> Bool {
        ["accept", "accept-language", "if-none-match", "if-modified-since"]
            .contains(name.lowercased())
    }
}

import Fetch
import Pipeline

extension ConfigurationKey {
    static let cdn: [Self] =
        [
            .list(
                "cdn.tags", \.pipeline.tagFields, of: .choice,
                "Header fields that name the item and source of each response, for a cache in "
                    + "front that purges by them: Surrogate-Key, Cache-Tag."
            ),
            .single(
                "cdn.clientMaxAge", \.pipeline.freshness.clientLimit,
                .optional(.seconds(.zero...year)),
                "How long browsers keep a picture, at most; caches in front get "
                    + "CDN-Cache-Control. Set it if purged pictures must disappear from "
                    + "browsers."
            ),
            .single(
                "cdn.purgeURL", \.purgeRequest.url,
                .optional(
                    .text("an http or https URL") {
                        $0.hasPrefix("https://") || $0.hasPrefix("http://")
                    }),
                "URL that is called with the tags of what you purged; see docs/operating.md. In "
                    + "it, in headers and in the body {tags} are the tags, {json} the same as a "
                    + "JSON list, {tag} one of them, {soft} 1 or 0, {token} cdn.purgeToken."
            ).hidingUserInfo(),
            .single(
                "cdn.purgeMethod", \.purgeRequest.method, .choice, "Method of that request."),
            .list(
                "cdn.purgeHeaders", \.purgeRequest.headers,
                of: .text(
                    "a header field, such as \"Authorization: Bearer {token}\"",
                    where: PurgeTemplate.isHeader),
                "Header fields of that request."),
            .single(
                "cdn.purgeBody", \.purgeRequest.body, .text("a text") { _ in true },
                "Body of that request, such as {\"tags\": {json}}."),
            .list(
                "cdn.purgeCommand", \.purgeCommand, of: .text("a word"),
                "Program and arguments that are called for the same. The tags follow as "
                    + "arguments; VITRINE_PURGE_TOKEN and VITRINE_PURGE_SOFT are in its "
                    + "environment."
            ),
        ]
        + secret(
            "cdn.purgeToken", \.credentials.cdnPurgeToken,
            "the credential of the cache in front.")
}

import Catalog
import Objects
import Pipeline
import TestSupport
import Testing

@testable import App

@Suite(.timeLimit(.minutes(1))) struct BucketReaderTests {
    @Test func `a folder may be a bucket with credentials of its own`() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Array("AKIDEXAMPLE\n".utf8), to: "id")
        try directory.write(Array("geheim-1\n".utf8), to: "secret")
        let text = """
            folders:
              pictures: /srv/pictures
              posters:
                location: s3://shop/some pictures/2024
                title: Posters
                endpoint: https://s3.example.org
                region: eu-central-1
                credentials: {accessKeyIDFile: \(directory.file("id")), secretAccessKeyFile: \(
                    directory.file("secret"))}
                recheck: 5m
                keepOriginals: true
                hidden: true
              museum: {location: "s3://museum", region: eu-west-1, credentials: none}
              scans:
                location: s3://scans
                endpoint: https://storage.googleapis.com
                pathStyle: false
                credentials: {accessKeyID: {env: VITRINE_SCANS_ID}, secretAccessKey: {env: VITRINE_SCANS_KEY}}
            """
        let settings = try loadedSettings(
            text,
            environment: [
                "VITRINE_SCANS_ID": "AKIDSCANS", "VITRINE_SCANS_KEY": "geheim-2",
                "AWS_ACCESS_KEY_ID": "AKIDSHARED", "AWS_SECRET_ACCESS_KEY": "geheim-3",
            ])
        #expect(settings.folderNames == ["pictures", "posters", "museum", "scans"])
        #expect(settings.offeredNames == settings.folderNames)
        let (posters, museum, scans) = (
            settings.buckets[0], settings.buckets[1], settings.buckets[2]
        )
        #expect(posters.store.bucket == "shop" && posters.prefix == "some pictures/2024/")
        #expect(posters.service == S3Service("https://s3.example.org"))
        #expect(posters.store.region == "eu-central-1" && posters.store.isPathStyle)
        #expect(posters.recheck == 300 && posters.keepsOriginals && posters.showsHidden)
        #expect(posters.keys?.credentials?.accessKeyID == "AKIDEXAMPLE")
        #expect(museum.service == S3Service("https://s3.eu-west-1.amazonaws.com"))
        #expect(museum.store.credentials == .none && !museum.store.isPathStyle)
        #expect(museum.keys == nil && museum.prefix.isEmpty)
        #expect(!scans.store.isPathStyle && scans.keys?.credentials?.accessKeyID == "AKIDSCANS")
        let source = try #require(Assembly.sources(settings).bucket("posters"))
        #expect(source.title == "Posters")
        var dumped = ""
        dump(settings, to: &dumped)
        let listing = ConfigurationListing(
            try SettingsLayers(file: settingsFile(text)).load()
        ).settings.map { "\($0)" }.joined()
        #expect(!(dumped + listing + "\(source)").contains("geheim"))
    }

    @Test(arguments: [
        (
            "posters: s3://shop",
            "folders.posters has no credentials; name the files of a key (accessKeyIDFile and "
                + "secretAccessKeyFile), or one of none, instance, container and webIdentity."
        ),
        (
            "posters: {location: s3://shop, credentials: auto}",
            "folders.posters.credentials is “auto”; expected none, instance, container, "
                + "webIdentity, or keys below it."
        ),
        (
            "posters: {location: \"s3://shop/a/../b\", credentials: none}",
            "folders.posters.location is “s3://shop/a/../b”; expected s3://BUCKET or "
                + "s3://BUCKET/PREFIX."
        ),
        (
            "posters: {location: s3://shop, endpoint: \"https://u:p@s3.example.org\", "
                + "credentials: none}",
            "folders.posters.endpoint is “https://***@s3.example.org”; expected https://HOST or "
                + "http://HOST:PORT."
        ),
        (
            "posters: {location: s3://shop, credentials: {accessKeyID: AKID, "
                + "secretAccessKeyFile: /x}}",
            "folders.posters.credentials.accessKeyID is a secret and must not stand in this file; "
                + "write {env: VITRINE_…}, or name a file that holds it in accessKeyIDFile."
        ),
        (
            "posters: {location: s3://shop, credentials: none, links: true}",
            "folders.posters has no key “links”; it has location, title, endpoint, region, "
                + "pathStyle, credentials, hidden, recheck and keepOriginals."
        ),
    ])
    func `a mistake is one sentence`(text: String, sentence: String) {
        let told = complaint("folders:\n  \(text)\n")
        #expect(told == "v.yaml:2: \(sentence)")
    }
}

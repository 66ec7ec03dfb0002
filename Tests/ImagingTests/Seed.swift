import Testing
@Suite struct Seed {}

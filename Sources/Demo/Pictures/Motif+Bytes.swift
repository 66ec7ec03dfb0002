extension Motif {
    /// The template as it is embedded in the program.
    var bytes: [UInt8] {
        switch self {
        case .mountains: PackageResources.mountains_svg
        case .city: PackageResources.city_svg
        case .planet: PackageResources.planet_svg
        case .shapes: PackageResources.shapes_svg
        case .horizon: PackageResources.horizon_svg
        case .waves: PackageResources.waves_svg
        case .forest: PackageResources.forest_svg
        case .neon: PackageResources.neon_svg
        case .arches: PackageResources.arches_svg
        case .botanical: PackageResources.botanical_svg
        case .lighthouse: PackageResources.lighthouse_svg
        case .deep: PackageResources.deep_svg
        case .modernist: PackageResources.modernist_svg
        case .gradient: PackageResources.gradient_svg
        case .sunburst: PackageResources.sunburst_svg
        case .minimal: PackageResources.minimal_svg
        case .ridgelines: PackageResources.ridgelines_svg
        case .bars: PackageResources.bars_svg
        case .cutouts: PackageResources.cutouts_svg
        case .halftone: PackageResources.halftone_svg
        case .contours: PackageResources.contours_svg
        case .bust: PackageResources.bust_svg
        case .group: PackageResources.group_svg
        case .stage: PackageResources.stage_svg
        case .stillLife: PackageResources.stillLife_svg
        case .harbour: PackageResources.harbour_svg
        case .sitter: PackageResources.sitter_svg
        case .windmill: PackageResources.windmill_svg
        case .winter: PackageResources.winter_svg
        case .tiles: PackageResources.tiles_svg
        case .bouquet: PackageResources.bouquet_svg
        case .interior: PackageResources.interior_svg
        }
    }
}

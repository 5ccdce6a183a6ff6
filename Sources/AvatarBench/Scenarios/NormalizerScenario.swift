import AvatarCore
import BenchNormalize

/// The normalizer beside libvips' own thumbnail, in this process: what each costs, and how near each comes to the same reference.
struct NormalizerScenario: Scenario {
  let name = "normalizer"
  let story = "bytes to avatar beside libvips' own thumbnail of the same bytes, cost and quality"

  func play(on stage: Stage, into result: inout ScenarioResult) throws(AvatarError) {
    // Made by another process: the normalizer forbids libvips to write anything.
    let kinds = ["jpeg-400", "jpeg-1024", "jpeg-12mp", "png-512", "webp-512"]
    let origin = try stage.origin("jpeg-400", "jpeg-1024", "jpeg-12mp", "png-512", "webp-512", variations: 1)
    var samples: [NormalizerComparison.Sample] = []
    for kind in kinds { samples += try origin.pictures(kind, count: 1).map { .init(name: kind, bytes: $0) } }
    stage.step("ours and vips_thumbnail in turn")
    let rows = try NormalizerComparison.run(
      samples: samples, rounds: stage.options.rounds, seconds: stage.options.seconds / 20)
    for row in rows {
      result.add("cpu \(row.name)", rounds: row.ours.map { $0 / 1e6 }, .seconds)
      result.add("cpu \(row.name) to vips_thumbnail", rounds: row.ratios, .ratio)
    }
    func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(max(values.count, 1)) }
    // A picture that is the reference to the bit has no finite ratio; beyond 60 dB nobody tells them apart.
    result.add(
      "PSNR over vips_thumbnail's",
      mean(rows.map { min($0.nearness.psnr, 60) }) - mean(rows.map { min($0.libraryNearness.psnr, 60) }), .decibels)
    result.add(
      "SSIM over vips_thumbnail's", mean(rows.map(\.nearness.ssim)) - mean(rows.map(\.libraryNearness.ssim)), .ratio)
  }
}

import AvatarCore
import Testing

@testable import AvatarNormalize

/// Entropy-coded data as we read them beside libjpeg-turbo's reading.
struct JPEGEntropyTests {
  /// What a decoder makes of a file, whole, or a part at a smaller size, or by planes: its pixels, or the error's code.
  private enum Reading: Equatable {
    case pixels([UInt8])
    case failure(AvatarError.Code)
  }

  private enum Way: CaseIterable { case whole, part, planes }

  private func reading(_ source: [UInt8], _ decoder: JPEGDecoder, _ way: Way) -> Reading {
    do throws(AvatarError) {
      let header = try ImageHeader(of: source)
      // Made smaller by the DCT where it is large enough, and cropped where it is no square.
      let recipe = Recipe(size: way == .whole ? max(header.width, header.height) : 16)
      let placement = Placement(width: header.width, height: header.height, recipe: recipe)
      if way == .planes, let planes = try decoder.planes(header, placement: placement) {
        return .pixels([planes.luma, planes.blue, planes.red].flatMap { $0.withBytes { Array($0) } })
      }
      return .pixels(try decoder.decode(header, placement: placement).0.pixels.withBytes { Array($0) })
    } catch {
      return .failure(error.code)
    }
  }

  /// Noise: long codes, and blocks that are full up to their last coefficient.
  private func noise(_ side: Int, quality: Int) throws -> [UInt8] {
    let pixels = PinnedBytes(SeededRandom.noise(side * side * 3, seed: 1))
    let raster = Raster(pixels, width: side, height: side, bands: 3, colour: .rgb)
    let recipe = Recipe(quality: quality, minimumQuality: quality)
    return try JPEGWriter().write(.raster(raster), recipe: recipe).jpeg
  }

  private func pictures() throws -> [(name: String, bytes: [UInt8])] {
    let names = [
      "baseline", "grey", "cmyk", "restarts", "waves-422", "wide", "orientation-6", "progressive", "rough-444",
      "rough-420",
      "rough-grey", "dot",
    ]
    return try names.map { ($0, try sample("\($0).jpg")) }
      + [30, 82, 100].map { ("noise at \($0)", try noise(96, quality: $0)) }
      // Of so many blocks that they are read at two places at once.
      + [(720, 30), (656, 85)].map { ("\($0) of noise at \($1)", try noise($0, quality: $1)) }
  }

  @Test func `sound pictures are read at once, and to the same pixels`() throws {
    let (ours, library) = (
      try JPEGDecoder(axes: ResamplingAxes()), try JPEGDecoder(axes: ResamplingAxes(), isQuick: false)
    )
    for (name, bytes) in try pictures() {
      for way in Way.allCases {
        let reading = reading(bytes, ours, way)
        #expect(ours.wasQuick == (name != "progressive"), "\(name), \(way)")
        #expect(reading == self.reading(bytes, library, way) && !library.wasQuick, "\(name), \(way)")
        guard case .pixels = reading else { throw AvatarError.corrupt("\(name), \(way)") }
      }
    }
  }

  @Test func `what is damaged is the library's, with its pixels and its errors`() throws {
    let (ours, library) = (
      try JPEGDecoder(axes: ResamplingAxes()), try JPEGDecoder(axes: ResamplingAxes(), isQuick: false)
    )
    var random = SeededRandom(seed: 20)
    var (again, failures, count) = (0, 0, 0)
    for (name, sound) in try pictures() {
      for round in 0..<150 {
        var bytes = round % 3 == 0 ? Array(sound[..<Int.random(in: 100..<sound.count, using: &random)]) : sound
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          let place = Int.random(in: 2..<bytes.count, using: &random)
          switch random.next() % 3 {
          case 0: bytes[place] ^= 1 << UInt8(random.next() % 8)
          case 1: bytes[place] = 0xFF
          // A marker in the midst of the data, often a restart.
          default:
            bytes.replaceSubrange(place..<min(place + 2, bytes.count), with: [0xFF, 0xD0 + UInt8(random.next() % 10)])
          }
        }
        let way = Way.allCases[round / 3 % Way.allCases.count]
        let reading = reading(bytes, ours, way)
        if !ours.wasQuick { again += 1 }
        if case .failure = reading { failures += 1 }
        count += 1
        #expect(reading == self.reading(bytes, library, way), "\(name), \(round), \(way)")
      }
    }
    // It is a test of all three: what is still sound, what the library repairs, what it refuses.
    #expect(again > count / 8 && failures > count / 8 && failures < count, "\(again), \(failures) of \(count)")
  }

  /// Codes with other meanings than they were written with: runs that reach behind their block from anywhere.
  @Test(arguments: [96, 720])
  func `runs that reach behind the block are the library's`(_ side: Int) throws {
    let (ours, library) = (
      try JPEGDecoder(axes: ResamplingAxes()), try JPEGDecoder(axes: ResamplingAxes(), isQuick: false)
    )
    let sound = try noise(side, quality: 60)
    var random = SeededRandom(seed: UInt64(side))
    var again = 0
    for round in 0..<120 {
      var bytes = sound
      let places = symbolPlaces(sound)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        // Fifteen zeros before a small value, at one of the shorter codes.
        let table = places[Int.random(in: 0..<places.count, using: &random)]
        bytes[table.lowerBound + Int.random(in: 0..<min(6, table.count), using: &random)] =
          UInt8(Int.random(in: 10...15, using: &random) << 4 | Int.random(in: 1...2, using: &random))
      }
      let way = Way.allCases[round % Way.allCases.count]
      let reading = reading(bytes, ours, way)
      if !ours.wasQuick { again += 1 }
      #expect(reading == self.reading(bytes, library, way), "round \(round), \(way)")
    }
    #expect(again > 30)
  }

  /// Where a file's AC tables have their symbols, those of short codes first.
  private func symbolPlaces(_ jpeg: [UInt8]) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var place = 2
    while jpeg[place + 1] != 0xDA {
      let end = place + 2 + Int(jpeg[place + 2]) << 8 + Int(jpeg[place + 3])
      var table = place + 4
      while jpeg[place + 1] == 0xC4, table < end {
        let count = jpeg[table + 1..<table + 17].reduce(0) { $0 + Int($1) }
        if jpeg[table] >> 4 == 1 { found.append(table + 17..<table + 17 + count) }
        table += 17 + count
      }
      place = end
    }
    return found
  }

  /// libjpeg keeps tables from file to file: a picture without its own came out in those of whoever was served before.
  @Test func `a picture is the same whatever was decoded before it`() throws {
    let bare = try withoutTables(sample("baseline.jpg"))
    for isQuick in [true, false] {
      let fresh = reading(bare, try JPEGDecoder(axes: ResamplingAxes(), isQuick: isQuick), .whole)
      let used = try JPEGDecoder(axes: ResamplingAxes(), isQuick: isQuick)
      _ = reading(try noise(64, quality: 95), used, .whole)
      #expect(reading(bare, used, .whole) == fresh)
    }
  }

  /// Without its Huffman tables (DHT): what then holds are the standard ones.
  private func withoutTables(_ jpeg: [UInt8]) throws -> [UInt8] {
    var result = Array(jpeg[..<2])
    var place = 2
    while jpeg[place + 1] != 0xDA {
      let length = 2 + Int(jpeg[place + 2]) << 8 + Int(jpeg[place + 3])
      if jpeg[place + 1] != 0xC4 { result += jpeg[place..<place + length] }
      place += length
    }
    #expect(result.count < place)
    return result + jpeg[place...]
  }
}

/// Pictures of the wanted kinds, made from a seed when the book is; equal seeds give equal bytes.
public struct PictureBook: Sendable {
  /// The kinds that are in it.
  public let kinds: [PictureKind]
  private let pictures: [PictureKind: [BenchPicture]]

  /// Makes `variations` (of 12-megapixel photos at most two) of each kind, which takes up to a second for large ones.
  ///
  /// Throws where libvips lacks a writer.
  public init(
    seed: UInt64, kinds: [PictureKind] = PictureKind.allCases, variations: Int = 8
  ) throws(PictureFault) {
    precondition(variations > 0, "a kind without a picture")
    var made: [BenchPicture] = []
    for kind in Set(kinds) {
      for variation in 0..<min(variations, kind.mostVariations) {
        made.append(BenchPicture(kind: kind, bytes: try kind.bytes(seed: seed, variation: variation)))
      }
    }
    self.init(made)
  }

  /// A book of these pictures and no other.
  public init(_ pictures: [BenchPicture]) {
    let byKind = Dictionary(grouping: pictures, by: \.kind)
    self.pictures = byKind
    kinds = PictureKind.allCases.filter { byKind[$0] != nil }
  }

  /// All variations of a kind, in order; none of a kind that is not in it.
  public func variations(of kind: PictureKind) -> [BenchPicture] { pictures[kind] ?? [] }

  /// The kind's picture for a name, always the same one for the same `turn`; nil for a kind that is not in the book.
  public func picture(_ kind: PictureKind, name: some Sequence<UInt8>, turn: Int = 0) -> BenchPicture? {
    guard let choice = pictures[kind] else { return nil }
    return choice[Int((StableHash.of(name) &+ UInt64(turn)) % UInt64(choice.count))]
  }
}

/// One picture as an origin has it.
public struct BenchPicture: Sendable {
  /// What it is.
  public let kind: PictureKind
  /// The file.
  public let bytes: [UInt8]
  /// Names the bytes among all pictures.
  public let digest: UInt64

  /// A picture of any bytes.
  public init(kind: PictureKind, bytes: [UInt8]) {
    self.kind = kind
    self.bytes = bytes
    digest = StableHash.of(bytes)
  }

  /// What the origin says it is, which need not be true.
  public var contentType: String { kind.contentType }
}

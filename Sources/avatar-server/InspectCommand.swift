import AvatarCore
import AvatarService
import AvatarWorkers

/// `inspect`: every step for one avatar, on the terminal. Works by itself, with the service's own adapters, and stores nothing.
struct InspectCommand {
  let sources: [String]
  let fit: Fit
  let isJSON: Bool

  func run(_ loaded: LoadedConfiguration) async throws(AvatarError) -> Int32 {
    let assembly = try await Assembly(loaded)
    try await assembly.pool.start()
    let inspector = Inspector(
      resolver: assembly.resolver, parts: assembly.parts, names: assembly.names,
      limits: assembly.configuration.imageLimits)
    var isFine = true
    for source in sources {
      let url = try SourceURL(parsing: source, names: assembly.names)
      let inspection = await inspector.inspect(url, fit: fit, store: false)
      Console.write(isJSON ? InspectionText.json(inspection) : InspectionText.text(inspection))
      isFine = isFine && inspection.code == nil
    }
    await assembly.close()
    return isFine ? 0 : 1
  }
}

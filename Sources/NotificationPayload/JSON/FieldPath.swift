/// The way to a field: names joined by dots; `.` is the object itself.
struct FieldPath: Hashable, Sendable {
  let names: [String]

  init(_ text: String) { names = text.split(separator: ".").map(String.init) }

  var last: String? { names.last }
}

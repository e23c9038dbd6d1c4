/** The text within the fence that a model is given it in, for people; as it is where it has none. */
export function unfenced(text: string): string {
  const [, , inside] = FENCED.exec(text) ?? []
  return inside ?? text
}

const FENCED = /^\[data ([0-9a-f]+) from [^\n]*\]\n([^]*)\n\[end of data \1\]$/

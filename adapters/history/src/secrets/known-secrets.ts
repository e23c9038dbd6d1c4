import type { Secret } from '@parley/engine'

/** A secret with the forms in which its value may appear: encoded, escaped, or within a longer base64 text. */
export function toKnownSecret(name: string, value: string): Secret {
  const bytes = Buffer.from(value)
  const forms = new Set([
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    ...[0, 1, 2].flatMap((shift) => listBase64Forms(bytes, shift)),
  ])
  forms.delete(value)
  return { name, value, otherForms: [...forms].filter((form) => form.length >= SHORTEST_FORM) }
}

const SHORTEST_FORM = 8

/** The part of a longer base64 text that depends on the value alone, for each of its three alignments. */
function listBase64Forms(bytes: Buffer, shift: number): readonly string[] {
  const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
    .toString('base64')
    .replace(/=+$/, '')
  const from = Math.ceil((shift * 4) / 3)
  const isWhole = (shift + bytes.length) % 3 === 0
  const inner = encoded.slice(from, isWhole ? undefined : -1)
  return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')]
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&nbsp;', ' '],
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&lrm;', ''],
  ['&rlm;', ''],
])

/** What a line of a cue says and who says it, where it tells. */
export function spokenLine(line: string): { readonly text: string; readonly speaker?: string } {
  const voice = /<v(?:\.[^\s<>]{1,100})?\s{1,9}([^<>]{1,200})>/.exec(line)?.[1]?.trim()
  const text = line
    .replaceAll(/<[^<>]{0,300}>|\{\\[^{}]{0,100}\}/g, '')
    .replaceAll(/&(?:amp|lt|gt|nbsp|quot|#39|lrm|rlm);/g, (entity) => ENTITIES.get(entity) ?? entity)
    .trim()
  if (voice) return { text, speaker: voice }
  return named(text)
}

/** "Ada Lovelace: …" or "SPEAKER 1: …": up to four words, each of them like a name. */
function named(text: string): { readonly text: string; readonly speaker?: string } {
  const colon = text.indexOf(':')
  if (colon < 1 || colon > 40 || !/\s/.test(text.charAt(colon + 1))) return { text }
  const speaker = text.slice(0, colon).replace(/^(?:>>|-)\s*/, '')
  const isName = /^\p{Lu}[\p{L}\p{M}\d.'’-]*(?: [\p{Lu}\d][\p{L}\p{M}\d.'’-]*){0,3}$/u.test(speaker)
  return isName ? { text: text.slice(colon + 1).trim(), speaker } : { text }
}

import type { PublishPreview } from '@parley/contracts'

/** What changes of what the public agent knows by heart. */
export function dossierInWords(
  { dossier, facts }: Pick<PublishPreview, 'dossier' | 'facts'>,
  publish: boolean,
): string {
  const { added, removed, kept } = dossier
  const counted = `${facts} ${facts === 1 ? 'fact' : 'facts'}`
  const looked = publish ? `${counted} can be looked up then.` : `${counted} can no longer be looked up.`
  const found = facts === 0 ? 'No fact counts in it.' : looked
  if (added.length + removed.length === 0)
    return `${found} What the public agent knows by heart stays as it is.`
  const changes = [
    added.length > 0 && `gains ${lines(added.length)}`,
    removed.length > 0 && `loses ${lines(removed.length)}`,
  ]
  return `${found} What it knows by heart ${changes.filter(Boolean).join(' and ')}, and keeps ${kept.length}:`
}

const lines = (count: number) => (count === 1 ? '1 line' : `${count} lines`)

/** Whom it touches: those who come by links, and those who are there now. */
export function touchedInWords(
  { links, visitors }: Pick<PublishPreview, 'links' | 'visitors'>,
  publish: boolean,
): string {
  const reach =
    links === 1 ? '1 share link reaches it.' : `${links === 0 ? 'No' : links} share links reach it.`
  if (visitors === 0) return `${reach} No visitor is talking now.`
  const who = visitors === 1 ? '1 visitor' : `${visitors} visitors`
  const then = publish
    ? 'what they are told stays as it was when they began'
    : 'what is typed ends at once, a call says goodbye at its next question, and the link can be opened again'
  return `${reach} ${who} may be talking now: ${then}.`
}

import type { EvidenceItem } from '@parley/contracts'
import { type CreatorNames, toPublicStatement } from '../dossier/public-statement.ts'

/** Published sources are quoted as they are. Facts do not name a person whose name is not public. */
export function toPublicEvidence<Item extends Pick<EvidenceItem, 'kind' | 'text' | 'corrects'>>(
  item: Item,
  names: CreatorNames,
): Item {
  if (item.kind !== 'fact') return item
  const { text, corrects } = item
  return {
    ...item,
    text: toPublicStatement(text, names),
    ...(corrects && { corrects: [...new Set(corrects.map((start) => toPublicStatement(start, names)))] }),
  }
}

/** Adds a correction under its person's current names, since a prompt may use these or earlier ones. */
export function addCurrentNames(
  item: EvidenceItem,
  { displayName, creatorName = displayName, formerNames = [] }: CreatorNames,
): EvidenceItem {
  const current = [displayName, creatorName]
  const starts = item.corrects?.flatMap((start) => {
    const used = [...current, ...formerNames].find((name) => /^[ '’]/.test(removePrefix(start, name)))
    return used === undefined ? [start] : [start, ...current.map((name) => name + removePrefix(start, used))]
  })
  return starts ? { ...item, corrects: [...new Set(starts)] } : item
}

const removePrefix = (text: string, name: string): string =>
  text.startsWith(name) ? text.slice(name.length) : ''

import type {
  Dossier,
  DossierSection,
  PrivateDossier,
  PublicDossier,
  VoiceEvidence,
  WrittenSentence,
} from '@parley/contracts'
import { type Sha256, addContentHash, hashNamespaces } from '../artifacts/content-hash.ts'
import { type CreatorNames, toPublicStatement } from './public-statement.ts'

interface DossierInput {
  readonly displayName: string
  readonly evidence: readonly VoiceEvidence[]
  readonly namespaces: readonly string[]
}

/** The dossier for members. It contains everything. */
export function buildPrivateDossier(
  { creatorName, formerNames = [], written = [], ...input }: PrivateDossierInput,
  sha256: Sha256,
): PrivateDossier {
  const body = {
    audience: 'private' as const,
    ...(creatorName !== undefined && { creatorName }),
    ...(formerNames.length > 0 && { formerNames: [...formerNames] }),
    ...buildBody(input, sha256),
  }
  return addContentHash(
    written.length === 0 ? body : { ...body, written: [...written], narrative: joinTexts(written) },
    sha256,
  )
}

interface PrivateDossierInput extends DossierInput, CreatorNames {
  /** The narrative in a model's words; if absent, the first lines are the narrative. */
  readonly written?: readonly WrittenSentence[] | undefined
}

/**
 * The dossier for the public. Its input is published content only, so just names are hidden. It has no text of a model, so
 * it equals the preview that was shown before publishing.
 */
export function buildPublicDossier(input: DossierInput & CreatorNames, sha256: Sha256): PublicDossier {
  const evidence = input.evidence.map((item) => ({
    ...item,
    statement: toPublicStatement(item.statement, input),
  }))
  return addContentHash({ audience: 'public' as const, ...buildBody({ ...input, evidence }, sha256) }, sha256)
}

function buildBody({ displayName, evidence, namespaces }: DossierInput, sha256: Sha256) {
  const lines = buildLines(evidence)
  return {
    displayName,
    lines,
    speakingStyle: describeSpeakingStyle(evidence.map(({ quote }) => quote)),
    narrative: joinTexts(lines.slice(0, NARRATIVE_LINES)),
    maturity: decideMaturity(evidence),
    scopeHash: hashNamespaces(namespaces, sha256),
  }
}

const joinTexts = (said: readonly { readonly text: string }[]): string =>
  said.map(({ text }) => text).join(' ')

const NARRATIVE_LINES = 12
const MAX_LINES = 120

/** The section of a fact by its predicate. */
const SECTIONS: ReadonlyMap<string, DossierSection> = new Map([
  ...mapPredicates('who', 'is_a was_a is_called comes_from speaks not_is_a'),
  ...mapPredicates(
    'life',
    'born_in born_on grew_up_in lives_in lived_in moved_to died_in adopted bought sold built owns',
  ),
  ...mapPredicates(
    'work',
    'works_as worked_as works_at worked_at studied studied_at graduated_from founded wrote won joined left retired_from passed declined',
  ),
  ...mapPredicates('people', 'married_to was_married_to has_relative friend_of'),
  ...mapPredicates('tastes', 'likes dislikes prefers has_favourite plays drinks allergic_to'),
  ...mapPredicates('views', 'believes plans_to'),
])
const ORDER: readonly DossierSection[] = ['who', 'life', 'work', 'people', 'tastes', 'views', 'else']

/** One line for each statement, from any number of sources. */
function buildLines(evidence: readonly VoiceEvidence[]) {
  const byStatement = Map.groupBy(evidence, ({ statement }) => statement)
  return [...byStatement]
    .map(([text, items]) => ({
      section: SECTIONS.get(items[0]?.predicate ?? '') ?? ('else' as const),
      text,
      factIds: [...new Set(items.map(({ factId }) => factId))],
    }))
    .toSorted((one, other) => ORDER.indexOf(one.section) - ORDER.indexOf(other.section))
    .slice(0, MAX_LINES)
}

function mapPredicates(
  section: DossierSection,
  predicates: string,
): readonly (readonly [string, DossierSection])[] {
  return predicates.split(' ').map((predicate) => [predicate, section] as const)
}

const MIN_FACTS = 12
const MIN_SOURCES = 2

/** A reflection is emerging until it has a dozen facts from two sources. */
export function decideMaturity(evidence: readonly VoiceEvidence[]): Dossier['maturity'] {
  const facts = new Set(evidence.map(({ factId }) => factId)).size
  const sources = new Set(evidence.map(({ sourceId }) => sourceId)).size
  return facts >= MIN_FACTS && sources >= MIN_SOURCES ? 'established' : 'emerging'
}

/** A person's way of speaking, derived from their quotes; empty for too few quotes. */
function describeSpeakingStyle(quotes: readonly string[]): string {
  if (quotes.length < MIN_QUOTES) return ''
  const lengths = quotes
    .map((quote) => quote.split(/\s+/).filter(Boolean).length)
    .toSorted((one, other) => one - other)
  const median = lengths[Math.floor(lengths.length / 2)] ?? 0
  const share = (pattern: RegExp) => quotes.filter((quote) => pattern.test(quote)).length / quotes.length
  const traits = [
    LENGTHS.find(({ upTo }) => median <= upTo)?.trait ?? '',
    share(/\b(I|I'm|my|me|mine)\b/) >= OFTEN ? 'speaks of themselves in the first person' : '',
    share(/!/) >= SOMETIMES ? 'exclaims at times' : '',
    share(/\?/) >= SOMETIMES ? 'answers with questions at times' : '',
    share(/\b\w+(n't|'re|'ve|'ll)\b/) >= SOMETIMES ? 'uses contractions' : '',
    share(/\b\d{2,4}\b/) >= SOMETIMES ? 'names dates and numbers' : '',
  ].filter((trait) => trait !== '')
  return `${traits.join('; ')}.`
}

const MIN_QUOTES = 5
const OFTEN = 0.4
const SOMETIMES = 0.15

const LENGTHS = [
  { upTo: 8, trait: 'speaks in short, plain sentences' },
  { upTo: 18, trait: 'speaks in sentences of middle length' },
  { upTo: Infinity, trait: 'speaks in long sentences that carry several thoughts' },
] as const

import { PlatformError, type PublicDossier, type VoiceArtifacts } from '@parley/contracts'
import { fence } from '@parley/engine'
import { toldOfCapsule } from '../artifacts/build-capsule.ts'
import type { Sha256 } from '../artifacts/content-hash.ts'
import { stillToExplore } from '../interview/explore-next.ts'
import { NOTHING_KNOWN } from '../packs/build-prompt-pack.ts'
import { narrowDossier } from '../packs/narrow-pack.ts'
import { namespacesHash } from '../variables/build-dynamic-variables.ts'
import type { ExtraName } from '../variables/variable-name.ts'
import { json, list, text, type VariableValue } from '../variables/variable-value.ts'
import type { ExtrasOf } from './extras-of.ts'

interface ExtraHost extends ExtrasOf {
  readonly sha256: Sha256
  readonly signal: AbortSignal
}

/** How each extra is loaded; undefined where it is empty. */
export const EXTRA_VALUES: Readonly<
  Record<ExtraName, (host: ExtraHost) => VariableValue | undefined | Promise<VariableValue | undefined>>
> = {
  reflection_display_name: ({ reflection }) => text(inert(reflection.displayName)),
  creator_name: ({ reflection }) =>
    reflection.creatorName === undefined ? undefined : text(inert(reflection.creatorName)),
  reflection_namespaces: ({ plan }) => list(plan.namespaces),
  reflection_speaking_style: (host) =>
    fromArtifacts(host, (artifacts) => {
      const { audience } = host.plan
      const dossier =
        audience === 'public' ? partDossier(artifacts, host) : artifacts.reflection_voice_dossier.private
      return dossier && text(inert(dossier.speakingStyle))
    }),
  reflection_persona_narrative: (host) =>
    fromArtifacts(host, (artifacts) => {
      if (host.plan.audience === 'private') return text(inert(artifacts.persona_narrative))
      const dossier = partDossier(artifacts, host)
      return dossier && linesOf(dossier)
    }),
  reflection_capsule_json: (host) =>
    fromArtifacts(host, ({ capsule }) => {
      const members = json(toldOfCapsule(capsule))
      return { ...members, entries: members.entries.map(inert) }
    }),
  explore_next: async ({ sources, signal }) => sentences(await stillToExplore(sources, signal)),
  preloaded_evidence: (host) => fromArtifacts(host, (artifacts) => evidence(artifacts, host)),
  session_recap: recap,
  user_context: userContext,
}

async function fromArtifacts(
  { sources, signal }: ExtraHost,
  take: (artifacts: VoiceArtifacts) => VariableValue | undefined,
): Promise<VariableValue | undefined> {
  const artifacts = await sources.promoted(signal)
  return artifacts && take(artifacts)
}

/** What a link for a part may tell; nothing where a session is for all that is published, whose agent has its dossier. */
function partDossier(artifacts: VoiceArtifacts, { plan, sha256 }: ExtraHost): PublicDossier | undefined {
  if (!plan.partOf) return undefined
  const { scopeHash } = artifacts.reflection_voice_dossier.public
  if (scopeHash === namespacesHash(plan.partOf, sha256))
    return narrowDossier(artifacts, plan.namespaces, sha256)
  throw new PlatformError('public_runtime_stale', {
    differs: ['the scope that the artifacts were built from'],
  })
}

const linesOf = ({ lines }: PublicDossier): VariableValue => ({
  kind: 'entries',
  entries: lines.length === 0 ? [NOTHING_KNOWN] : lines.map((line) => inert(line.text)),
  render: (kept) => kept.join('\n'),
})

const MOST_EVIDENCE = 8

/** Lines of the audience's own dossier, and of those only what the session may retrieve. */
function evidence(
  { reflection_voice_dossier, voice_evidence_pack }: VoiceArtifacts,
  { plan, sha256 }: ExtraHost,
): VariableValue | undefined {
  const seen = new Set(plan.namespaces)
  const facts = new Set(
    voice_evidence_pack.items.filter(({ namespace }) => seen.has(namespace)).map(({ factId }) => factId),
  )
  const lines = reflection_voice_dossier[plan.audience].lines.filter(({ factIds }) =>
    factIds.every((id) => facts.has(id)),
  )
  return fenced(
    lines.slice(0, MOST_EVIDENCE).map((line) => line.text),
    'the dossier',
    sha256,
  )
}

const MOST_SAYINGS = 6
const LONGEST_SAYING = 300

async function recap({ sources, signal, sha256 }: ExtraHost): Promise<VariableValue | undefined> {
  const said = await sources.lastSaid(signal)
  const lines = said
    .slice(-MOST_SAYINGS)
    .map(({ who, text: words }) => `${who === 'person' ? 'They' : 'You'}: ${words.slice(0, LONGEST_SAYING)}`)
  return fenced(lines, 'the last conversation', sha256)
}

const MOST_TITLES = 5

async function userContext({ sources, signal, sha256 }: ExtraHost): Promise<VariableValue | undefined> {
  const earlier = await sources.earlier(signal)
  const [latest] = earlier
  if (!latest) return undefined
  const titles = earlier.flatMap(({ title }) => (title === undefined ? [] : [title.slice(0, LONGEST_SAYING)]))
  const about = [`They were here before, last on ${latest.at.slice(0, 10)}.`]
  const lines = [...new Set(titles)].slice(0, MOST_TITLES).map((title) => `They spoke of: ${title}`)
  return fenced([...about, ...lines], 'earlier conversations', sha256)
}

const sentences = (all: readonly string[]): VariableValue => ({
  kind: 'entries',
  entries: all.map(inert),
  render: (kept) => kept.join(' '),
})

/** What others said is something to read, however much of it is kept. */
const fenced = (lines: readonly string[], origin: string, sha256: Sha256): VariableValue => ({
  kind: 'entries',
  entries: lines.map(inert),
  render: (kept) => fence(kept.join('\n'), origin, sha256),
})

/** In one line, naming no variable, and with no line in it that opens or ends the policy or a fence. */
const inert = (words: string): string =>
  words
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(MARKED_LINE, '(')
    .replace(/\{(?=\{)/g, '{ ')
    .toWellFormed()
    .trim()

const GAP = '[\\s\\p{Cf}]*'
const MARKED_LINE = new RegExp(`\\[(?=${GAP}(?:end${GAP}of${GAP})?(?:policy|data))`, 'giu')

import {
  type AgentKind,
  CONVERSATION_ORIGINS,
  PlatformError,
  type Reflection,
  type SessionWarning,
  type PublicDossier,
  type VoiceArtifacts,
  fence,
  writeDossierOrigin,
} from '@parley/contracts'
import { type Wait, withinDeadline } from '@parley/engine'
import {
  applyDynamicExtrasBudget,
  type SessionVariables,
  type VariableCut,
  buildDynamicVariables,
  type KnownExtras,
  type VariableValue,
  jsonValue,
  listValue,
  textValue,
} from '../variables/build-dynamic-variables.ts'
import { listExtras, EXTRA_VARIABLES, type ExtraName } from '../variables/variable-matrix.ts'
import type { SpokenSession, SpokenStartHost } from './starting-host.ts'
import { type Sha256, hashNamespaces } from '../artifacts/content-hash.ts'
import type { SessionPlan } from './plan-session.ts'
import type { PromptInputs } from './prompt-inputs.ts'
import { removeCapsuleHash } from '../artifacts/build-voice-artifacts.ts'
import { listOpenQuestions } from '../interview/explore-next.ts'
import { NOTHING_KNOWN } from '../packs/build-prompt-pack.ts'
import { narrowDossier } from '../packs/narrow-pack.ts'

/** The variables that an agent gets, and those that were shortened or left out. */
export interface SentVariables {
  readonly variables: Readonly<Record<string, string>>
  readonly cut: readonly VariableCut[]
}

type DescribedSession = Pick<SpokenSession, 'sessionId' | 'reflection' | 'personId' | 'plan'>
type SigningHost = Pick<SpokenStartHost, 'bindSig' | 'sha256'>

/** The variables of a session, within the budget. */
export function buildSessionVariables(
  session: DescribedSession,
  agent: AgentKind,
  extras: Pick<LoadedExtras, 'known'>,
  host: SigningHost,
): SentVariables {
  const budgeted = applyDynamicExtrasBudget(buildWholeVariables(session, agent, extras, host))
  if (budgeted.kind === 'over-budget') {
    throw new PlatformError('dynamic_variables_over_budget', {
      message: `The variables of this session have ${budgeted.needed} characters, which is over the limit.`,
    })
  }
  // A provider rejects a prompt with a variable that has no value.
  const { plan } = session
  const ofGeneric = plan.audience === 'public' ? listExtras({ ...plan, agent }) : EXTRA_VARIABLES
  const named = agent === 'own' ? listOwnAgentExtras(plan) : ofGeneric
  const blank = Object.fromEntries(named.map((name) => [name, '']))
  return { variables: { ...blank, ...budgeted.variables }, cut: budgeted.cut }
}

/** One pack may serve both private surfaces, so it may name variables that only `memory` has. */
const listOwnAgentExtras = ({ mode, audience, surface }: DescribedSession['plan']) =>
  listExtras({ mode, audience, surface: surface === 'standard' ? 'memory' : surface, agent: 'own' })

/** The variables of a session, before anything is cut. */
export function buildWholeVariables(
  { sessionId, reflection, personId, plan }: DescribedSession,
  agent: AgentKind,
  { known }: Pick<LoadedExtras, 'known'>,
  { bindSig, sha256 }: SigningHost,
): SessionVariables {
  const facts = {
    ...plan,
    reflectionId: reflection.id,
    conversationId: sessionId,
    bindSig: bindSig(sessionId),
    offRecord: plan.ingestion === 'off-record',
    ...(plan.role !== 'guest' && { personId }),
  }
  return buildDynamicVariables(facts, { ...plan, agent }, known, sha256)
}

interface LoadedExtras {
  readonly known: KnownExtras
  /** The extras that did not load in time. */
  readonly missed: readonly ExtraName[]
  readonly warnings: readonly SessionWarning[]
}

/** The time for each extra. */
export const EXTRAS_MS = 3_000

export interface ExtrasRequest {
  readonly reflection: Pick<Reflection, 'displayName' | 'creatorName'>
  readonly plan: Pick<SessionPlan, 'mode' | 'audience' | 'surface' | 'namespaces' | 'allPublished'>
  readonly inputs: PromptInputs
}

/** Loads the extras of a session. Those that do not load in time are left out and reported. */
export async function buildSessionDynamicExtras(
  { reflection, plan, inputs }: ExtrasRequest,
  { wait, sha256 }: { readonly wait: Wait; readonly sha256: Sha256 },
  signal: AbortSignal,
): Promise<LoadedExtras> {
  // The generic agent gets the most variables. Those that the actual agent does not get are removed later.
  const names = listExtras({ ...plan, agent: 'generic' })
  const load = async (within: AbortSignal, name: ExtraName) =>
    EXTRA_VALUES[name]({ reflection, plan, inputs, sha256, signal: within })
  const loaded = await Promise.all(
    names.map(async (name) => {
      const value = await withinDeadline((within) => load(within, name), EXTRAS_MS, wait, signal).catch(
        () => 'failed' as const,
      )
      return { name, value }
    }),
  )
  const known: Partial<Record<ExtraName, VariableValue>> = {}
  const missed: ExtraName[] = []
  for (const { name, value } of loaded) {
    if (typeof value === 'string') missed.push(name)
    else if (value) known[name] = value
  }
  return { known, missed, warnings: missed.length === 0 ? [] : [createPartialWarning(missed)] }
}

const createPartialWarning = (missed: readonly string[]): SessionWarning => ({
  code: 'session_dynamic_variables_partial',
  message: `Started without ${missed.join(', ')}, which could not be loaded.`,
})

interface ExtraHost extends ExtrasRequest {
  readonly sha256: Sha256
  readonly signal: AbortSignal
}

/** How each extra is loaded. Undefined if it is empty. */
const EXTRA_VALUES: Readonly<
  Record<ExtraName, (host: ExtraHost) => VariableValue | undefined | Promise<VariableValue | undefined>>
> = {
  reflection_display_name: ({ reflection }) => textValue(toInertLine(reflection.displayName)),
  creator_name: ({ reflection }) =>
    reflection.creatorName === undefined ? undefined : textValue(toInertLine(reflection.creatorName)),
  reflection_namespaces: ({ plan }) => listValue(plan.namespaces),
  reflection_speaking_style: (host) =>
    fromArtifacts(host, (artifacts) => {
      const { audience } = host.plan
      const dossier =
        audience === 'public' ? buildPartDossier(artifacts, host) : artifacts.reflection_voice_dossier.private
      return dossier && textValue(toInertLine(dossier.speakingStyle))
    }),
  reflection_persona_narrative: (host) =>
    fromArtifacts(host, (artifacts) => {
      if (host.plan.audience === 'private') return textValue(toInertLine(artifacts.persona_narrative))
      const dossier = buildPartDossier(artifacts, host)
      return dossier && toDossierValue(dossier)
    }),
  reflection_capsule_json: (host) =>
    fromArtifacts(host, ({ capsule }) => {
      const members = jsonValue(removeCapsuleHash(capsule))
      return { ...members, entries: members.entries.map(toInertLine) }
    }),
  explore_next: async ({ inputs, signal }) => toSentences(await listOpenQuestions(inputs, signal)),
  preloaded_evidence: (host) => fromArtifacts(host, (artifacts) => selectEvidence(artifacts, host)),
  session_recap: loadRecap,
  user_context: loadUserContext,
}

async function fromArtifacts(
  { inputs, signal }: ExtraHost,
  take: (artifacts: VoiceArtifacts) => VariableValue | undefined,
): Promise<VariableValue | undefined> {
  const artifacts = await inputs.readPromoted(signal)
  return artifacts && take(artifacts)
}

/** The dossier for a link to some namespaces. Undefined for other sessions: the prompt of their agent contains the dossier. */
function buildPartDossier(artifacts: VoiceArtifacts, { plan, sha256 }: ExtraHost): PublicDossier | undefined {
  if (!plan.allPublished) return undefined
  const { scopeHash } = artifacts.reflection_voice_dossier.public
  if (scopeHash === hashNamespaces(plan.allPublished, sha256))
    return narrowDossier(artifacts, plan.namespaces, sha256)
  throw new PlatformError('public_runtime_stale', {
    differs: ['the scope that the artifacts were built from'],
  })
}

const toDossierValue = ({ lines }: PublicDossier): VariableValue => ({
  kind: 'entries',
  entries: lines.length === 0 ? [NOTHING_KNOWN] : lines.map((line) => toInertLine(line.text)),
  render: (kept) => kept.join('\n'),
})

const MAX_EVIDENCE = 8

/** The lines of the audience's dossier that the session may retrieve. */
function selectEvidence(
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
  return fenceLines(
    lines.slice(0, MAX_EVIDENCE).map((line) => line.text),
    writeDossierOrigin(),
    sha256,
  )
}

const MAX_RECAP_MESSAGES = 6
const MAX_MESSAGE_LENGTH = 300

async function loadRecap({ inputs, signal, sha256 }: ExtraHost): Promise<VariableValue | undefined> {
  const said = await inputs.readLastMessages(signal)
  const lines = said
    .slice(-MAX_RECAP_MESSAGES)
    .map(
      ({ who, text: words }) => `${who === 'person' ? 'They' : 'You'}: ${words.slice(0, MAX_MESSAGE_LENGTH)}`,
    )
  return fenceLines(lines, CONVERSATION_ORIGINS.last, sha256)
}

const MAX_TITLES = 5

async function loadUserContext({ inputs, signal, sha256 }: ExtraHost): Promise<VariableValue | undefined> {
  const earlier = await inputs.listEarlierSessions(signal)
  const [latest] = earlier
  if (!latest) return undefined
  const titles = earlier.flatMap(({ title }) =>
    title === undefined ? [] : [title.slice(0, MAX_MESSAGE_LENGTH)],
  )
  const about = [`They were here before, last on ${latest.at.slice(0, 10)}.`]
  const lines = [...new Set(titles)].slice(0, MAX_TITLES).map((title) => `They spoke of: ${title}`)
  return fenceLines([...about, ...lines], CONVERSATION_ORIGINS.earlier, sha256)
}

const toSentences = (all: readonly string[]): VariableValue => ({
  kind: 'entries',
  entries: all.map(toInertLine),
  render: (kept) => kept.join(' '),
})

/** Fences untrusted lines, also after some were cut. */
const fenceLines = (lines: readonly string[], origin: string, sha256: Sha256): VariableValue => ({
  kind: 'entries',
  entries: lines.map(toInertLine),
  render: (kept) => fence(kept.join('\n'), origin, sha256),
})

/** One line without variables, and without marks of the policy or a fence. */
const toInertLine = (words: string): string =>
  words
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(MARKED_LINE, '(')
    .replace(/\{(?=\{)/g, '{ ')
    .toWellFormed()
    .trim()

const GAP = '[\\s\\p{Cf}]*'
const MARKED_LINE = new RegExp(`\\[(?=${GAP}(?:end${GAP}of${GAP})?(?:policy|data))`, 'giu')

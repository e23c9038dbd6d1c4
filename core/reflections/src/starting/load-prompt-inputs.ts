import type {
  PersonId,
  Reflection,
  ReflectionId,
  SessionId,
  SessionMessage,
  VoiceArtifacts,
} from '@parley/contracts'
import type { SessionStore } from '@parley/engine'
import { isBeyondReach, type NamespaceReach } from '../access/session-role.ts'
import { visibleNamespaces } from '../access/visible-namespaces.ts'
import type { Sha256 } from '../artifacts/content-hash.ts'
import { narrowArtifacts } from '../packs/narrow-pack.ts'
import type { PromotedEvidence, ArtifactReader } from '../ports/artifact-store.ts'
import type { ReflectionSession, ReflectionSessionStore } from '../ports/reflection-session-store.ts'
import type { SessionPlan } from './plan-session.ts'
import type { PromptInputs } from './prompt-inputs.ts'

const MAX_EARLIER_SESSIONS = 5
const MAX_RECAP_MESSAGES = 20
const MAX_INTERVIEW_MESSAGES = 100

export interface PromptInputsHost {
  readonly runtime: Pick<ArtifactReader, 'readPromoted' | 'readPromotedEvidence'>
  readonly store: Pick<SessionStore, 'find' | 'readTail'>
  readonly sessionRows: Pick<ReflectionSessionStore, 'listEarlier'>
  readonly sha256: Sha256
}

/** The person and session for whom the prompt and variables are loaded. */
interface PromptReader extends Pick<SessionPlan, 'audience' | 'namespaces' | 'isNarrowed'> {
  readonly reflectionId: ReflectionId
  readonly personId: PersonId
  /** The session itself, which does not count as an earlier one. */
  readonly sessionId?: SessionId
  /** Set for a member who does not reach everything. */
  readonly reach?: NamespaceReach | undefined
}

/** The promoted artifacts. For a member with limited reach they are built again, from the session's namespaces alone. */
export async function loadPromoted(
  { reflectionId, audience, namespaces, isNarrowed, reach }: Omit<PromptReader, 'personId'>,
  { runtime, sha256 }: Pick<PromptInputsHost, 'runtime' | 'sha256'>,
  signal: AbortSignal,
): Promise<VoiceArtifacts | undefined> {
  const promoted = async () => (await runtime.readPromoted(reflectionId, audience, signal))?.artifacts
  if (!isNarrowed) return promoted()
  const evidence = await (reach
    ? runtime.readPromotedEvidence(reach.capability)
    : promoted().then(readEvidence))
  return evidence && narrowArtifacts(evidence, namespaces, sha256)
}

const readEvidence = (artifacts: VoiceArtifacts | undefined): PromotedEvidence | undefined =>
  artifacts && {
    displayName: artifacts.reflection_voice_dossier.private.displayName,
    creatorName: artifacts.reflection_voice_dossier.private.creatorName,
    formerNames: artifacts.reflection_voice_dossier.private.formerNames,
    evidence: artifacts.voice_evidence_pack.items,
  }

/** The inputs of one session of a person. */
export function createPromptInputs(reader: PromptReader, host: PromptInputsHost): PromptInputs {
  const { store, sessionRows } = host
  // A person's own private sessions, except those with namespaces that they can no longer read. Visitors have none.
  const earlier = loadOnce(async (signal) => {
    const { reflectionId, audience, personId, sessionId, reach } = reader
    if (audience === 'public') return []
    const rows = await sessionRows.listEarlier(reflectionId, personId, MAX_EARLIER_SESSIONS, signal)
    return rows.filter((row) => row.sessionId !== sessionId && !isBeyondReach(row, reach))
  })
  const readMessages = async (session: ReflectionSession, most: number, signal: AbortSignal) =>
    (await store.readTail(session.sessionId, most, signal)).flatMap(toPastMessages)
  return {
    readPromoted: loadOnce((signal) => loadPromoted(reader, host, signal)),
    hasEarlierSessions: async (signal) => (await earlier(signal)).length > 0,
    listEarlierSessions: async (signal) =>
      Promise.all(
        (await earlier(signal)).map(async (session) => ({
          at: session.createdAt,
          title: (await store.find(session.sessionId, signal))?.session.title,
        })),
      ),
    readLastMessages: async (signal) => {
      const latest = (await earlier(signal)).find(hasTranscript)
      return latest ? readMessages(latest, MAX_RECAP_MESSAGES, signal) : []
    },
    readInterviews: async (signal) => {
      const interviews = (await earlier(signal)).filter(
        (session) => session.mode === 'interview' && hasTranscript(session),
      )
      return Promise.all(interviews.map((session) => readMessages(session, MAX_INTERVIEW_MESSAGES, signal)))
    },
  }
}

/** The inputs of a member's next private session. */
export const createMemberPromptInputs = (
  { reflection, ...member }: Pick<PromptReader, 'personId' | 'reach'> & { readonly reflection: Reflection },
  host: PromptInputsHost,
): PromptInputs =>
  createPromptInputs(
    {
      reflectionId: reflection.id,
      audience: 'private',
      ...member,
      namespaces: visibleNamespaces({ sessionAudience: 'private' }, member.reach, reflection),
      isNarrowed: member.reach !== undefined,
    },
    host,
  )

type Load<Value> = (signal: AbortSignal) => Promise<Value>

function loadOnce<Value>(load: Load<Value>): Load<Value> {
  let loading: Promise<Value> | undefined
  return (signal) => (loading ??= load(signal))
}

const hasTranscript = ({ transcript }: ReflectionSession): boolean => transcript !== 'pending'

const SPEAKERS = { user: 'person', assistant: 'reflection' } as const

function toPastMessages({ role, content, marker }: SessionMessage) {
  if (marker || (role !== 'user' && role !== 'assistant')) return []
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ')
  return text === '' ? [] : [{ who: SPEAKERS[role], text }]
}

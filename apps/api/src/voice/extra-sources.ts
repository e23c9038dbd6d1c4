import { createHash } from 'node:crypto'
import type { PersonId, ReflectionId, SessionId, SessionMessage, VoiceArtifacts } from '@parley/contracts'
import {
  type ExtraSources,
  isBeyondReach,
  type NamespaceReach,
  narrowArtifacts,
  type PromotedEvidence,
  type ReflectionSession,
  type SessionPlan,
} from '@parley/reflections'
import type { Services } from '../services.ts'

const MOST_EARLIER = 5
const MOST_MESSAGES = 20
const MOST_OF_AN_INTERVIEW = 100

/** Whom a session's prompt and variables are for. */
interface ToldTo extends Pick<SessionPlan, 'audience' | 'namespaces' | 'isNarrowed'> {
  readonly reflectionId: ReflectionId
  readonly personId: PersonId
  /** The session that they are told to; it is none of the earlier ones. */
  readonly sessionId?: SessionId
  /** Of a member who does not reach everything now. */
  readonly reach?: NamespaceReach | undefined
}

/** The promoted artifacts; for a member who does not reach everything, made from the namespaces of their session alone. */
export async function promotedFor(
  { reflectionId, audience, namespaces, isNarrowed, reach }: Omit<ToldTo, 'personId'>,
  { runtime }: Pick<Services, 'runtime'>,
  signal: AbortSignal,
): Promise<VoiceArtifacts | undefined> {
  const promoted = async () => (await runtime.promoted(reflectionId, audience, signal))?.artifacts
  if (!isNarrowed) return promoted()
  const evidence = await (reach ? runtime.promotedEvidence(reach.capability) : promoted().then(evidenceIn))
  return evidence && narrowArtifacts(evidence, namespaces, sha256)
}

const evidenceIn = (artifacts: VoiceArtifacts | undefined): PromotedEvidence | undefined =>
  artifacts && {
    displayName: artifacts.reflection_voice_dossier.private.displayName,
    creatorName: artifacts.reflection_voice_dossier.private.creatorName,
    formerNames: artifacts.reflection_voice_dossier.private.formerNames,
    evidence: artifacts.voice_evidence_pack.items,
  }

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Where what a session is told at its start comes from: each is read once, and only where it is asked for. */
export function extraSources(
  toldTo: ToldTo,
  { runtime, store, reflectionSessions }: Pick<Services, 'runtime' | 'store' | 'reflectionSessions'>,
): ExtraSources {
  // A person's own private sessions, without those that were told what they reach no more; the public has none.
  const earlier = once(async (signal) => {
    const { reflectionId, audience, personId, sessionId, reach } = toldTo
    if (audience === 'public') return []
    const rows = await reflectionSessions.earlier(reflectionId, personId, MOST_EARLIER, signal)
    return rows.filter((row) => row.sessionId !== sessionId && !isBeyondReach(row, reach))
  })
  const saidIn = async (session: ReflectionSession, most: number, signal: AbortSignal) =>
    (await store.readTail(session.sessionId, most, signal)).flatMap(sayingsOf)
  return {
    promoted: once((signal) => promotedFor(toldTo, { runtime }, signal)),
    wasHere: async (signal) => (await earlier(signal)).length > 0,
    earlier: async (signal) =>
      Promise.all(
        (await earlier(signal)).map(async (session) => ({
          at: session.createdAt,
          title: (await store.find(session.sessionId, signal))?.session.title,
        })),
      ),
    lastSaid: async (signal) => {
      const latest = (await earlier(signal)).find(isHeard)
      return latest ? saidIn(latest, MOST_MESSAGES, signal) : []
    },
    interviews: async (signal) => {
      const held = (await earlier(signal)).filter(
        (session) => session.mode === 'interview' && isHeard(session),
      )
      return Promise.all(held.map((session) => saidIn(session, MOST_OF_AN_INTERVIEW, signal)))
    },
  }
}

type Ask<Value> = (signal: AbortSignal) => Promise<Value>

function once<Value>(ask: Ask<Value>): Ask<Value> {
  let asked: Promise<Value> | undefined
  return (signal) => (asked ??= ask(signal))
}

const isHeard = ({ transcript }: ReflectionSession): boolean => transcript !== 'pending'

const WHO = { user: 'person', assistant: 'reflection' } as const

function sayingsOf({ role, content, marker }: SessionMessage) {
  if (marker || (role !== 'user' && role !== 'assistant')) return []
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ')
  return text === '' ? [] : [{ who: WHO[role], text }]
}

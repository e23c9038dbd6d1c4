import { createHash } from 'node:crypto'
import type { ReflectionId, SessionMessage, VoiceArtifacts } from '@parley/contracts'
import type { MemberReach } from '@parley/knowledge'
import {
  type ExtraSources,
  narrowArtifacts,
  type PromotedEvidence,
  type ReflectionSession,
  type SessionPlan,
} from '@parley/voice'
import type { Services } from '../services.ts'

const MOST_MESSAGES = 20
const MOST_OF_AN_INTERVIEW = 100

/** Whom a session's prompt and variables are for. */
export interface ToldTo extends Pick<SessionPlan, 'audience' | 'namespaces' | 'isNarrowed'> {
  readonly reflectionId: ReflectionId
  /** Of a member who does not reach everything now. */
  readonly reach?: MemberReach | undefined
}

/** The promoted artifacts; for a member who does not reach everything, made from the namespaces of their session alone. */
export async function promotedFor(
  { reflectionId, audience, namespaces, isNarrowed, reach }: ToldTo,
  { runtime }: Pick<Services, 'runtime'>,
): Promise<VoiceArtifacts | undefined> {
  const promoted = async () => (await runtime.promoted(reflectionId, audience))?.artifacts
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

/** Where what a session is told at its start comes from. The earlier sessions are the person's own, latest first. */
export function extraSources(
  toldTo: ToldTo,
  earlier: readonly ReflectionSession[],
  { runtime, store }: Pick<Services, 'runtime' | 'store'>,
): ExtraSources {
  const saidIn = async ({ sessionId }: ReflectionSession, most: number) =>
    (await store.readTail(sessionId, most)).flatMap(sayingsOf)
  return {
    promoted: () => promotedFor(toldTo, { runtime }),
    earlier: () =>
      Promise.all(
        earlier.map(async ({ sessionId, createdAt }) => ({
          at: createdAt,
          title: (await store.find(sessionId))?.session.title,
        })),
      ),
    lastSaid: async () => {
      const latest = earlier.find(isHeard)
      return latest ? saidIn(latest, MOST_MESSAGES) : []
    },
    interviews: async () => {
      const held = earlier.filter((session) => session.mode === 'interview' && isHeard(session))
      return Promise.all(held.map((session) => saidIn(session, MOST_OF_AN_INTERVIEW)))
    },
  }
}

const isHeard = ({ transcript }: ReflectionSession): boolean => transcript !== 'pending'

const WHO = { user: 'person', assistant: 'reflection' } as const

function sayingsOf({ role, content, marker }: SessionMessage) {
  if (marker || (role !== 'user' && role !== 'assistant')) return []
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ')
  return text === '' ? [] : [{ who: WHO[role], text }]
}

import type { Audience, PersonId, ReflectionId, SessionId, SessionMessage } from '@parley/contracts'
import type { ExtraSources, ReflectionSession } from '@parley/voice'
import type { Services } from '../services.ts'

const MOST_EARLIER = 5
const MOST_MESSAGES = 20
const MOST_OF_AN_INTERVIEW = 100

interface ToldTo {
  readonly reflectionId: ReflectionId
  readonly audience: Audience
  readonly personId: PersonId
  /** The session that they are told to; it is none of the earlier ones. */
  readonly sessionId?: SessionId
}

/** Where what a session is told at its start comes from: each is read once, and only where it is asked for. */
export function extraSources(
  { reflectionId, audience, personId, sessionId }: ToldTo,
  { runtime, store, reflectionSessions }: Pick<Services, 'runtime' | 'store' | 'reflectionSessions'>,
): ExtraSources {
  // A person's own private sessions; the public has none.
  const earlier = once(async (signal) => {
    if (audience === 'public') return []
    const rows = await reflectionSessions.earlier(reflectionId, personId, MOST_EARLIER, signal)
    return rows.filter((row) => row.sessionId !== sessionId)
  })
  const saidIn = async (session: ReflectionSession, most: number, signal: AbortSignal) =>
    (await store.readTail(session.sessionId, most, signal)).flatMap(sayingsOf)
  return {
    promoted: once(async (signal) => (await runtime.promoted(reflectionId, audience, signal))?.artifacts),
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

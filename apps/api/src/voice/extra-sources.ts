import type { Audience, ReflectionId, SessionMessage } from '@parley/contracts'
import type { ExtraSources, ReflectionSession } from '@parley/voice'
import type { Services } from '../services.ts'

const MOST_MESSAGES = 20
const MOST_OF_AN_INTERVIEW = 100

/** Where what a session is told at its start comes from. The earlier sessions are the person's own, latest first. */
export function extraSources(
  { reflectionId, audience }: { readonly reflectionId: ReflectionId; readonly audience: Audience },
  earlier: readonly ReflectionSession[],
  { runtime, store }: Pick<Services, 'runtime' | 'store'>,
): ExtraSources {
  const saidIn = async ({ sessionId }: ReflectionSession, most: number) =>
    (await store.readTail(sessionId, most)).flatMap(sayingsOf)
  return {
    promoted: async () => (await runtime.promoted(reflectionId, audience))?.artifacts,
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

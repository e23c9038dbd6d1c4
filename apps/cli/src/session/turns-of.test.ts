import type { MessageId, SessionId, SessionMessage } from '@parley/contracts'
import { reconstructSessionState, type SessionStore } from '@parley/engine'
import { memorySessionStore, newSession } from '@parley/engine/testing'
import { expect, test } from 'vitest'
import { turnsOf } from './turns-of.ts'

const AT = '2026-11-15T14:03:00.000Z'
const ID = 'ses_1' as SessionId

/** Questions with answers of one, two or three messages, so that turns lie across the borders of pages. */
function messagesOf(turns: number): readonly SessionMessage[] {
  const roles = Array.from({ length: turns }, (_, turn): readonly SessionMessage['role'][] => [
    'user',
    ...(['assistant', 'tool', 'assistant'] as const).slice(0, 1 + (turn % 3)),
  ]).flat()
  return roles.map((role, index) => ({
    id: `msg_${index}` as MessageId,
    sessionId: ID,
    sequenceNumber: index + 1,
    role,
    content: [{ type: 'text', text: `Message ${index}` }],
    timestamp: AT,
  }))
}

async function read(messages: readonly SessionMessage[]) {
  const store = memorySessionStore()
  await store.create(...newSession(ID, AT, { messageCount: messages.length }), messages)
  let held = 0
  let most = 0
  const counting: Pick<SessionStore, 'readMessages'> = {
    async readMessages(...range) {
      const page = await store.readMessages(...range)
      held += page.length
      most = Math.max(most, held)
      return page
    },
  }
  const turns = []
  for await (const turn of turnsOf(counting, ID)) {
    held -= turn.messages.length
    turns.push(turn)
  }
  return { turns, most }
}

test.each([0, 1, 2, 1_000, 4_000])(
  '%i turns are read whole and in order, a page at a time',
  async (count) => {
    const messages = messagesOf(count)
    const { turns, most } = await read(messages)
    expect(turns).toEqual(reconstructSessionState(messages))
    expect(turns).toHaveLength(count)
    expect(most).toBeLessThanOrEqual(510)
  },
)

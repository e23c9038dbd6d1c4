import { writeSync } from 'node:fs'
import { randomBytes, randomFillSync, randomInt } from 'node:crypto'
import { flushCompileCache } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import { PlatformError, type SessionEvent, type SessionId } from '@parley/contracts'
import { createRunEventBus, createIdSource, createSessions } from '@parley/engine'
import { fakeTools } from '@parley/engine/testing'
import { scriptedModel } from './script-of.ts'
import { openTrialStore, type TrialStore } from './trial-store.ts'

/** What a worker says on its standard output, a line each: written before it goes on, so a kill loses none. */
export type Said =
  | { readonly kind: 'sending' | 'accepted'; readonly sessionId: SessionId; readonly text: string }
  | { readonly kind: 'told'; readonly event: SessionEvent }

export interface WorkerGiven {
  readonly store: TrialStore
  readonly sessionIds: readonly SessionId[]
}

/** Talks in the sessions it is given until it is killed. */
async function work({ store: trial, sessionIds }: WorkerGiven): Promise<void> {
  const { store } = await openTrialStore(trial)
  // Else Node keeps what it compiled only when a process ends by itself, and each would compile all of it again.
  flushCompileCache()
  const sessions = createSessions({
    store,
    eventBus: createRunEventBus(),
    clock: Date,
    ids: createIdSource(randomFillSync),
    modelOf: () => scriptedModel(),
    toolsOf: () => tools,
    limits: { maxTurns: 1_000_000 },
  })

  const listen = async (sessionId: SessionId) => {
    const after = (await store.find(sessionId))?.lastSequence ?? 0
    const { signal } = new AbortController()
    for await (const event of sessions.events({ sessionId, after, signal })) say({ kind: 'told', event })
  }

  const talk = async (sessionId: SessionId): Promise<void> => {
    for (;;) {
      await pause(randomInt(3))
      const record = await store.find(sessionId)
      if (record?.openTurn?.state === 'waiting') await decide(sessionId)
      else if (randomInt(8) === 0) await ask(() => sessions.continue(sessionId))
      else await send(sessionId)
      if (randomInt(12) === 0) await sessions.cancel(sessionId)
    }
  }

  const send = async (sessionId: SessionId) => {
    const text = randomBytes(6).toString('hex')
    say({ kind: 'sending', sessionId, text })
    await ask(async () => {
      const turn = await sessions.send(sessionId, text)
      say({ kind: 'accepted', sessionId, text })
      return turn
    })
  }

  const decide = async (sessionId: SessionId) => {
    const tail = await store.readTail(sessionId, 50)
    const parts = tail.flatMap(({ content }) => content)
    const answered = new Set(parts.flatMap((part) => (part.type === 'tool_result' ? [part.callId] : [])))
    for (const part of parts) {
      if (part.type !== 'tool_call' || part.call.name !== 'ask' || answered.has(part.call.id)) continue
      const decision = randomInt(2) === 0 ? 'allow' : 'refuse'
      await ask(() => sessions.decide(sessionId, part.call.id, { decision }))
    }
  }

  /** Another worker may be at it: that is no failure. */
  const ask = async (open: () => ReturnType<typeof sessions.send>) => {
    try {
      const { ended } = await open()
      if (randomInt(4) > 0) await ended
      else ended?.catch(() => {})
    } catch (failure) {
      if (!(failure instanceof PlatformError) || !EXPECTED.has(failure.code)) throw failure
    }
  }

  await Promise.all(sessionIds.flatMap((sessionId) => [listen(sessionId), talk(sessionId)]))
}

const EXPECTED = new Set(['session_busy', 'nothing_to_continue', 'approval_not_pending'])

function say(said: Said): void {
  writeSync(1, `${JSON.stringify(said)}\n`)
}

const tools = fakeTools({
  declarations: [
    { name: 'look', description: 'Looks', inputSchema: {}, mayRepeat: true },
    { name: 'write', description: 'Writes', inputSchema: {} },
    { name: 'ask', description: 'Asks', inputSchema: {} },
  ],
  asks: ({ id, name }) => (name === 'ask' ? id : undefined),
  async run({ id }) {
    await pause(randomInt(3))
    return { kind: 'ok', text: `result of ${id}` }
  },
})

await work(JSON.parse(process.env['GIVEN'] ?? '') as WorkerGiven)

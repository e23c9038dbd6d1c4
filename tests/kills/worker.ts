import { writeSync } from 'node:fs'
import { randomBytes, randomFillSync, randomInt } from 'node:crypto'
import { flushCompileCache } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import { PlatformError, type SessionEvent, type SessionId } from '@parley/contracts'
import { createRunEventBus, createIdSource, createSessions } from '@parley/engine'
import { createFakeTools } from '@parley/engine/testing'
import { readInput } from '../support/child-process.ts'
import { createTrialModel } from './trial-model.ts'
import { openTrialStore, type TrialStore } from './trial-store.ts'

/** A line of a worker's standard output. Lines are written synchronously, so a kill loses none. */
export type WorkerReport =
  | { readonly kind: 'sending' | 'accepted'; readonly sessionId: SessionId; readonly text: string }
  | { readonly kind: 'event'; readonly event: SessionEvent }

export interface WorkerInput {
  readonly store: TrialStore
  readonly sessionIds: readonly SessionId[]
}

/** Talks in the sessions until it is killed. */
async function talkInSessions({ store: trial, sessionIds }: WorkerInput): Promise<void> {
  const { store } = await openTrialStore(trial)
  // Otherwise Node stores compiled code only on a normal exit, and every process compiles it again.
  flushCompileCache()
  const sessions = createSessions({
    store,
    eventBus: createRunEventBus(),
    clock: Date,
    ids: createIdSource(randomFillSync),
    getModel: () => createTrialModel(),
    getTools: () => tools,
    limits: { maxTurns: 1_000_000 },
  })

  const reportEvents = async (sessionId: SessionId) => {
    const after = (await store.find(sessionId))?.lastSequence ?? 0
    const { signal } = new AbortController()
    for await (const event of sessions.streamEvents({ sessionId, after, signal }))
      report({ kind: 'event', event })
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
    report({ kind: 'sending', sessionId, text })
    await ask(async () => {
      const turn = await sessions.send(sessionId, text)
      report({ kind: 'accepted', sessionId, text })
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

  /** Ignores refusals because another worker is writing. */
  const ask = async (open: () => ReturnType<typeof sessions.send>) => {
    try {
      const { ended } = await open()
      if (randomInt(4) > 0) await ended
      else ended?.catch(() => {})
    } catch (failure) {
      if (!(failure instanceof PlatformError) || !EXPECTED.has(failure.code)) throw failure
    }
  }

  await Promise.all(sessionIds.flatMap((sessionId) => [reportEvents(sessionId), talk(sessionId)]))
}

const EXPECTED = new Set(['session_busy', 'nothing_to_continue', 'approval_not_pending'])

function report(line: WorkerReport): void {
  writeSync(1, `${JSON.stringify(line)}\n`)
}

const tools = createFakeTools({
  declarations: [
    { name: 'look', description: 'Looks', inputSchema: {}, mayRepeat: true },
    { name: 'write', description: 'Writes', inputSchema: {} },
    { name: 'ask', description: 'Asks', inputSchema: {} },
  ],
  findTargetToApprove: ({ id, name }) => (name === 'ask' ? id : undefined),
  async run({ id }) {
    await pause(randomInt(3))
    return { kind: 'ok', text: `result of ${id}` }
  },
})

await talkInSessions(readInput() as WorkerInput)

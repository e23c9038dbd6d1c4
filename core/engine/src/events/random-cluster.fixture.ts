import type { CallId, SessionEvent, SessionId, TurnId } from '@parley/contracts'
import type { SessionStore } from '../ports/session-store.ts'
import { createTurnRecorder, type RecorderHost } from '../session/turn-recorder.ts'
import { settleTurn } from '../session/settle-turn.ts'
import { createTestSession, createTestIds } from '../testing/fixtures.ts'
import { createMemoryRelays } from '../testing/fakes.ts'
import { createMemoryStores } from '../memory/memory-session-store.ts'
import type { TurnMessage } from '../turn/turn.ts'
import { createRunEventBus } from './run-event-bus.ts'
import type { LogLimits } from './event-log.ts'

const AT = '2026-03-04T05:06:07.000Z'
const USAGE = { inputTokens: 1, outputTokens: 1 }
const ids = createTestIds()

type ContentItem = TurnMessage['content'][number]

interface RunningTurn {
  readonly turnId: TurnId
  readonly process: ClusterProcess
  readonly recorder: ReturnType<typeof createTurnRecorder>
  stepId: ReturnType<ReturnType<typeof createTurnRecorder>['nextStepId']>
  said: ContentItem[]
}

export interface ClusterProcess
  extends RecorderHost, ReturnType<ReturnType<typeof createMemoryRelays>['open']> {
  readonly die: () => void
}

/** Processes that write to one session of one store, and may die at any moment, even during a write. */
export function createRandomCluster({ limits, delays }: { limits: LogLimits; delays: readonly number[] }) {
  const stores = createMemoryStores()
  const relays = createMemoryRelays()
  const sessionId: SessionId = ids.sessionId()
  const outside = stores.open().store
  let turn: RunningTurn | undefined
  let calls = 0
  let delay = 0
  let time = 0
  /** The write in progress; it continues while other things happen. */
  let writing: Promise<unknown> = Promise.resolve()

  const late = async <T>(result: Promise<T>): Promise<T> => {
    const value = await result
    for (let ticks = delays[delay++ % delays.length] ?? 0; ticks > 0; ticks -= 1) await Promise.resolve()
    return value
  }

  const open = (): ClusterProcess => {
    const { store: kept, die } = stores.open()
    const end = relays.open()
    const store: SessionStore = {
      ...kept,
      append: (lease, batch) => late(kept.append(lease, batch)),
      readEvents: (id, range) => late(kept.readEvents(id, range)),
      readMessages: (id, range) => late(kept.readMessages(id, range)),
    }
    const eventBus = createRunEventBus({ limits, otherProcesses: { relay: end.relay, store } })
    const host: RecorderHost = { store, eventBus, clock: { now: () => Date.parse(AT) + time++ }, ids }
    return { ...host, ...end, die }
  }

  /** Runs an action in the current turn after the previous one is done; a dead process does nothing. */
  const write = (work: (running: RunningTurn) => unknown) => {
    writing = writing.then(() => turn && work(turn)).catch(() => {})
  }

  const keepStep = ({ recorder, said }: RunningTurn, more: readonly ContentItem[] = []) => {
    const content = [...said, ...more]
    if (content.length > 0) recorder.addMessage({ role: 'assistant', content })
  }

  return {
    sessionId,
    store: outside,
    open,
    create: () => outside.create(...createTestSession(sessionId, AT)),

    async begin(process: ClusterProcess) {
      await writing
      if (turn || (await outside.find(sessionId))?.openTurn) return
      const turnId = ids.turnId()
      const said = { id: ids.messageId(), content: [{ type: 'text' as const, text: 'Hello' }], timestamp: AT }
      const lease = await process.store.beginTurn({
        sessionId,
        turnId,
        question: { kind: 'new', message: said, title: 'Hello' },
        event: { timestamp: AT, body: { type: 'session:turn_started', turnId } },
        reserve: 6,
      })
      const [message] = await outside.readMessages(sessionId, {
        after: lease.lastMessageNumber - 1,
        limit: 1,
      })
      if (!message) throw new Error('the question is not stored')
      const recorder = createTurnRecorder(lease, process)
      turn = { turnId, process, recorder, stepId: recorder.nextStepId(), said: [] }
      recorder.publishOpening({ type: 'session:turn_started', turnId, message }, AT)
    },

    say: (kind: 'text' | 'reasoning', text: string) =>
      write((running) => {
        const { turnId, stepId, said, recorder } = running
        const last = said.at(-1)
        const part = last?.type === kind ? last : { type: kind, text: '' }
        if (part !== last) said.push(part)
        return recorder.streamText({ turnId, stepId, model: 'm' }, part, text)
      }),

    callTool: () =>
      write(async (running) => {
        const { turnId, recorder } = running
        const callId = `call-${calls++}` as CallId
        const call = { id: callId, name: 'look', input: {} }
        const outcome = { kind: 'ok' as const, text: `seen ${callId}` }
        keepStep(running, [{ type: 'tool_call', call }])
        await recorder.record({ type: 'agent:tool_call', turnId, callId, call })
        recorder.addMessage({ role: 'tool', content: [{ type: 'tool_result', callId, outcome }] })
        await recorder.record({ type: 'agent:tool_result', turnId, callId, outcome })
        running.said = []
        running.stepId = recorder.nextStepId()
      }),

    discard: () =>
      write(async (running) => {
        running.said = []
        await running.recorder.discardPending()
        running.stepId = running.recorder.nextStepId()
      }),

    finish: () =>
      write(async (running) => {
        const { turnId, recorder } = running
        keepStep(running)
        await recorder.record({
          type: 'session:turn_completed',
          turnId,
          stopReason: 'completed',
          usage: USAGE,
        })
        recorder.close()
        turn = undefined
      }),

    /** Its pending write may still be stored, but it notifies nobody. */
    crash(process: ClusterProcess) {
      process.die()
      process.leave()
      if (turn?.process === process) turn = undefined
    },

    async settle(process: ClusterProcess) {
      await writing
      const found = (await outside.find(sessionId))?.openTurn
      if (found?.state === 'interrupted') {
        await settleTurn({ sessionId, turnId: found.turnId, state: 'interrupted' }, 'interrupted', process)
      }
    },

    isRunning: () => turn !== undefined,

    /** The running step's text, after all pending actions. */
    async saying(): Promise<readonly string[]> {
      await writing
      return turn?.said.map((part) => ('text' in part ? `${part.type}: ${part.text}` : '')) ?? []
    },
  }
}

/** Runs pending work for a while. */
export async function passTicks(ticks: number, isOver = () => false): Promise<void> {
  for (let left = ticks; left > 0 && !isOver(); left -= 1) await Promise.resolve()
}

/** The text runs as a naive reader keeps them: an event that covers several numbers replaces their text. */
export function toRuns(events: readonly SessionEvent[]): readonly string[] {
  let pieces: { from: number; stepId: string; kind: string; text: string }[] = []
  for (const event of events) {
    const from = event.fromSequence ?? event.sequenceNumber
    pieces = pieces.filter((piece) => piece.from < from)
    if (event.type === 'agent:token')
      pieces.push({ from, stepId: event.stepId, kind: 'text', text: event.token })
    if (event.type === 'agent:reasoning')
      pieces.push({ from, stepId: event.stepId, kind: 'reasoning', text: event.text })
    if (event.type === 'agent:step_discarded') pieces = pieces.filter(({ stepId }) => stepId !== event.stepId)
  }
  const runs: { key: string; text: string }[] = []
  for (const { stepId, kind, text } of pieces) {
    const key = `${stepId} ${kind}`
    const last = runs.at(-1)
    if (last?.key === key) last.text += text
    else runs.push({ key, text })
  }
  return runs.map(({ key, text }) => `${key.split(' ')[1]}: ${text}`)
}

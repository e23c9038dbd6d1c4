import type { SessionEvent } from '@parley/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { passTicks, type ClusterProcess, createRandomCluster, toRuns } from './random-cluster.fixture.ts'
import { readEvents } from './read-events.ts'
import { restoreEvent } from './stored-event.ts'

const anyIndex = fc.nat({ max: 2 })
const reader = fc.nat({ max: 3 })
const anyWord = fc.constantFrom('a', 'bb', 'ccc ', '🌍', '', 'x'.repeat(300))

const anyCommand = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('begin' as const), at: anyIndex }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('say' as const),
      kind: fc.constantFrom('text' as const, 'reasoning' as const),
      words: fc.array(anyWord, { minLength: 1, maxLength: 5 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('call' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('finish' as const) }) },
  fc.record({ do: fc.constant('discard' as const) }),
  fc.record({ do: fc.constant('crash' as const), at: anyIndex }),
  fc.record({ do: fc.constant('settle' as const), at: anyIndex }),
  { weight: 3, arbitrary: fc.record({ do: fc.constant('move' as const), reader, at: anyIndex }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('pull' as const), reader, count: fc.nat({ max: 6 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('deliver' as const), at: anyIndex, count: fc.nat({ max: 9 }) }),
  },
  fc.record({ do: fc.constant('lose text' as const), at: anyIndex }),
  fc.record({ do: fc.constant('break off' as const), at: anyIndex }),
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pass' as const), ticks: fc.nat({ max: 60 }) }) },
)

const anyWorld = fc.record({
  limits: fc.record({ events: fc.integer({ min: 1, max: 12 }), bytes: fc.constantFrom(1, 900, 1_000_000) }),
  delays: fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 7 }),
  commands: fc.array(anyCommand, { maxLength: 60, size: 'max' }),
})

/** The end of a turn is stored, and its process dies before it notifies anyone. */
const DIES_BEFORE_IT_TELLS: typeof anyWorld extends fc.Arbitrary<infer World> ? World : never = {
  limits: { events: 1, bytes: 1 },
  delays: [0],
  commands: [
    { do: 'pull', reader: 0, count: 1 },
    { do: 'begin', at: 1 },
    { do: 'deliver', at: 0, count: 1 },
    { do: 'finish' },
    { do: 'pass', ticks: 0 },
    { do: 'crash', at: 1 },
  ],
}

test('[S6] readers that lag, leave, move and outlive processes end with the same events as one that never left', async () => {
  await fc.assert(
    fc.asyncProperty(anyWorld, async ({ limits, delays, commands }) => {
      const cluster = createRandomCluster({ limits, delays })
      await cluster.create()
      const processes = [cluster.open(), cluster.open(), cluster.open()]
      const at = (index: number) => pick(processes, index)
      const readers = [0, 1, 2, 0].map((index) => createReader(cluster.sessionId, at(index)))
      const readerAt = (index: number) => pick(readers, index)

      const crash = (index: number) => {
        const process = at(index)
        cluster.crash(process)
        processes[index] = cluster.open()
        for (const moved of readers) if (moved.isAt(process)) moved.moveTo(at((index + 1) % 3))
      }

      for (const todo of commands) {
        switch (todo.do) {
          case 'begin':
            await cluster.begin(at(todo.at))
            break
          case 'say':
            for (const text of todo.words) cluster.say(todo.kind, text)
            break
          case 'call':
            cluster.callTool()
            break
          case 'discard':
            cluster.discard()
            break
          case 'finish':
            cluster.finish()
            break
          case 'crash':
            crash(todo.at)
            break
          case 'settle':
            await cluster.settle(at(todo.at))
            break
          case 'move':
            readerAt(todo.reader).moveTo(at(todo.at))
            break
          case 'pull':
            await readerAt(todo.reader).pull(todo.count)
            break
          case 'deliver':
            at(todo.at).deliver(todo.count)
            break
          case 'lose text':
            at(todo.at).drop('text')
            break
          case 'break off':
            at(todo.at).breakOff()
            break
          case 'pass':
            await passTicks(todo.ticks)
            break
          default:
            todo satisfies never
        }
      }

      const calmDown = async () => {
        for (let rounds = 0; rounds < 5; rounds += 1) {
          for (const process of processes) process.deliver()
          // As every process does again and again.
          for (const process of processes) await process.eventBus.recheck()
          await passTicks(500)
          for (const each of readers) await each.pull(1_000)
        }
      }

      // Whatever was lost, the next word brings the text of the running step to everybody before the step ends.
      cluster.say('text', '!')
      const saying = await cluster.saying()
      await calmDown()
      const before = await readStoredRuns(cluster)
      for (const { told } of before.isInterrupted ? [] : readers)
        expect(told.filter(isStored)).toEqual(before.events.filter(isStored))
      for (const { told } of cluster.isRunning() ? readers : [])
        expect(toRuns(told)).toEqual([...before.runs, ...saying])

      cluster.finish()
      await cluster.settle(at(0))
      await calmDown()
      const { events, runs } = await readStoredRuns(cluster)
      for (const { told } of readers) {
        expect(told.filter(isStored)).toEqual(events.filter(isStored))
        expect(toRuns(told)).toEqual(runs)
        expect(told.at(-1)?.sequenceNumber).toBe(events.at(-1)?.sequenceNumber)
      }
    }),
    { numRuns: 500, examples: [[DIES_BEFORE_IT_TELLS]] },
  )
})

function pick<T>(from: readonly T[], index: number): T {
  const found = from[index]
  if (found === undefined) throw new Error(`there is no ${index}`)
  return found
}

const isStored = ({ type }: SessionEvent) => type !== 'agent:token' && type !== 'agent:reasoning'

/** The simplest reader: all stored events with all messages in memory; and the text of the messages. */
async function readStoredRuns({ store, sessionId }: ReturnType<typeof createRandomCluster>) {
  const messages = await store.readMessages(sessionId, { after: 0, limit: 10_000 })
  const stored = await store.readEvents(sessionId, { after: 0, limit: 10_000 })
  return {
    isInterrupted: (await store.find(sessionId))?.openTurn?.state === 'interrupted',
    events: stored.map((event) =>
      restoreEvent(sessionId, event, event.messageRef && messages[event.messageRef.message - 1]),
    ),
    runs: messages
      .filter(({ role }) => role === 'assistant')
      .flatMap(({ content }) =>
        content.flatMap((part) => ('text' in part ? [`${part.type}: ${part.text}`] : [])),
      ),
  }
}

/** Takes events only on request, and reconnects after its last number. */
function createReader(sessionId: Parameters<typeof readEvents>[0]['sessionId'], first: ClusterProcess) {
  const told: SessionEvent[] = []
  let process = first
  let abort = new AbortController()
  let reading = open()
  let pending: Promise<void> | undefined

  function open() {
    const after = told.at(-1)?.sequenceNumber ?? 0
    return readEvents({ sessionId, after, signal: abort.signal }, process)
  }

  const take = async (from: typeof reading) => {
    const { value } = await from.next()
    if (from !== reading || !value) return
    const seen = told.at(-1)?.sequenceNumber ?? 0
    expect(value.sequenceNumber).toBeGreaterThan(seen)
    expect(value.fromSequence ?? value.sequenceNumber).toBeLessThanOrEqual(seen + 1)
    told.push(value)
    pending = undefined
  }

  return {
    told,
    isAt: (other: ClusterProcess) => process === other,
    moveTo(next: ClusterProcess) {
      abort.abort()
      abort = new AbortController()
      process = next
      pending = undefined
      reading = open()
    },
    async pull(count: number) {
      for (let taken = 0; taken < count; taken += 1) {
        const waiting = (pending ??= take(reading))
        await Promise.race([waiting, passTicks(300, () => pending !== waiting)])
        if (pending === waiting) return
      }
    },
  }
}

import type { ProviderStore } from '@parley/postgres'
import { AgentContent, type AgentDocument } from '../agents/agent-document.ts'
import { AgentTest } from '../agents/agent-test.ts'
import { mergeConfig } from '../agents/agents.ts'
import { allDocuments, newId } from '../documents.ts'
import type { RunTests } from '../rest/rest-env.ts'
import { Unprocessable } from '../rest/refusal.ts'
import {
  INVOCATION,
  type Invocation,
  type TestRun,
  abandoned,
  invocationOf,
  pendingRun,
  settledRun,
  toBody,
  withSettled,
} from './invocation.ts'
import { type TestOutcome, runTest } from './run-test.ts'
import type { TrialHost } from './trial-tools.ts'

export interface TestRunnerHost extends TrialHost {
  readonly store: Pick<ProviderStore, 'documents'>
  readonly onError: (error: unknown) => void
  readonly pace?: Pace
}

export interface TestRunner {
  readonly runTests: RunTests
  /** What has not ended by now has failed. */
  readonly stop: () => Promise<void>
}

const MOST_AT_ONCE = 4
const LONGEST_MS = 300_000
const USUAL_PACE: Pace = { beatMs: 5_000, deadMs: 30_000 }

/** Runs tests in the background, a few at a time, and keeps what comes of each. */
export function startTestRunner(host: TestRunnerHost): TestRunner {
  const { store, now, onError, pace = USUAL_PACE } = host
  const { documents } = store
  const stopping = new AbortController()
  const running = new Map<string, Promise<void>>()
  const waiting: (() => Promise<void>)[] = []
  let busy = 0
  const beats = keepAlive({ documents, own: () => running.keys(), pace, now, onError })

  const startNext = () => {
    while (busy < MOST_AT_ONCE) {
      const work = waiting.shift()
      if (!work) return
      busy += 1
      void work().finally(() => {
        busy -= 1
        startNext()
      })
    }
  }

  /** Once a place is free. */
  const inTurn = (work: () => Promise<void>) =>
    new Promise<void>((resolve) => {
      waiting.push(() => work().finally(resolve))
      startNext()
    })

  const tried = async (agent: AgentDocument, test: AgentTest): Promise<TestOutcome> => {
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(LONGEST_MS)])
    try {
      // A model that does not listen is not waited for.
      return await Promise.race([runTest(agent, test, host, signal), calledOff(signal)])
    } catch (failure) {
      onError(failure)
      const reason = `The test could not be run: ${String(failure)}`
      return { verdict: { result: 'unknown', reason }, reasons: [], transcript: [] }
    }
  }

  const runAll = async (id: string, agent: AgentDocument, runs: TestRun[], tests: readonly AgentTest[]) => {
    const keep = keeper(documents, id, runs, onError)
    const trials = tests.map((test, at) =>
      inTurn(async () => {
        const run = runs[at]
        if (!run || stopping.signal.aborted) return
        runs[at] = settledRun(run, await tried(agent, test), now())
        keep()
      }),
    )
    await Promise.all(trials)
    // Where this fails nobody keeps the sign alive, and the next to look settles what is pending.
    await documents.change(INVOCATION, id, (body) =>
      toBody(abandoned(withSettled(invocationOf(body), runs), STOPPED, now())),
    )
    await documents.remove(RUNNING, id)
  }

  return {
    async runTests(given, { tests: wanted, agent_config_override, repeat_count }) {
      const agent = overriddenAgent(given, agent_config_override)
      const id = newId('suite')
      const tests = await testsOf(documents, wanted)
      const repeated = tests.flatMap((test) => Array.from({ length: repeat_count }, () => test))
      const runs = repeated.map(({ testId, test }) =>
        pendingRun(
          agent,
          { test_run_id: newId('testrun'), test_invocation_id: id, test_id: testId, test_name: test.name },
          now(),
        ),
      )
      const invocation: Invocation = {
        agent_id: agent.agentId,
        branch_id: agent.branchId,
        version_id: agent.versionId,
        created_at: Math.floor(now() / 1_000),
        repeat_count,
        test_runs: [...runs],
      }
      // First, so that no invocation is without one: who dies in between leaves a sign of nothing.
      await documents.put(RUNNING, { id, parentId: agent.agentId, body: {} })
      await documents.put(INVOCATION, { id, parentId: agent.agentId, body: toBody(invocation) })
      const work = runAll(
        id,
        agent,
        runs,
        repeated.map(({ test }) => test),
      )
        .catch(onError)
        .finally(() => running.delete(id))
      running.set(id, work)
      return { id, ...toBody(invocation) }
    },
    async stop() {
      stopping.abort()
      await Promise.all(running.values())
      await beats.stop()
    },
  }
}

const STOPPED = 'The provider stopped before this test had ended. Run it again.'

const calledOff = (signal: AbortSignal) =>
  new Promise<TestOutcome>((resolve) => {
    const reason = 'The test was called off, or took too long.'
    const outcome: TestOutcome = { verdict: { result: 'unknown', reason }, reasons: [], transcript: [] }
    signal.addEventListener('abort', () => resolve(outcome), { once: true })
  })

async function testsOf(
  documents: ProviderStore['documents'],
  wanted: readonly { readonly test_id: string }[],
) {
  const found = await Promise.all(wanted.map(({ test_id }) => documents.get('test', test_id)))
  return found.flatMap((document) =>
    document ? [{ testId: document.id, test: AgentTest.parse(document.body) }] : [],
  )
}

/** Writes what is settled by now, one write at a time, however many ask for it. */
function keeper(
  documents: ProviderStore['documents'],
  id: string,
  runs: readonly TestRun[],
  onError: (error: unknown) => void,
) {
  let writing: Promise<unknown> = Promise.resolve()
  let isAsked = false
  return (): void => {
    if (isAsked) return
    isAsked = true
    writing = writing
      .then(() => {
        isAsked = false
        return documents.change(INVOCATION, id, (body) => toBody(withSettled(invocationOf(body), runs)))
      })
      .catch(onError)
  }
}

/** The agent with what is to be otherwise for its tests. */
function overriddenAgent(agent: AgentDocument, override: unknown): AgentDocument {
  if (override === undefined || override === null) return agent
  const { conversation_config, platform_settings } = agent
  const merged = mergeConfig({ conversation_config, platform_settings }, override)
  const parsed = AgentContent.pick({ conversation_config: true, platform_settings: true }).safeParse(merged)
  if (!parsed.success) throw Unprocessable.fromIssues('body', parsed.error.issues, merged)
  return { ...agent, ...parsed.data }
}

/** Written again and again while a process runs the tests of an invocation; it has the invocation's id. */
const RUNNING = 'running_tests'

interface Pace {
  readonly beatMs: number
  /** So long without a beat means that nobody runs them. */
  readonly deadMs: number
}

interface KeepAliveHost {
  readonly documents: ProviderStore['documents']
  /** What this process runs. */
  readonly own: () => Iterable<string>
  readonly pace: Pace
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

/** Shows others that this process runs its tests, and fails those whose process shows nothing more. */
function keepAlive({ documents, own, pace, now, onError }: KeepAliveHost) {
  const lastBeats = new Map<string, { readonly beat: number; readonly seenAt: number }>()
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  const fail = async (id: string) => {
    await documents.change(INVOCATION, id, (body) => toBody(abandoned(invocationOf(body), DIED, now())))
    await documents.remove(RUNNING, id)
    lastBeats.delete(id)
  }

  const look = async () => {
    const mine = new Set(own())
    for (const id of mine) await documents.change(RUNNING, id, (body) => body)
    for await (const { id, updatedAt } of allDocuments(documents, RUNNING)) {
      if (mine.has(id)) continue
      // Two clocks need not agree: it counts how long we ourselves have seen no change.
      const beat = updatedAt.getTime()
      const last = lastBeats.get(id)
      if (last?.beat !== beat) lastBeats.set(id, { beat, seenAt: performance.now() })
      else if (performance.now() - last.seenAt >= pace.deadMs) await fail(id)
    }
  }

  const goOn = async () => {
    await look().catch(onError)
    if (stopped) return
    timer = setTimeout(() => {
      looking = goOn()
    }, pace.beatMs).unref()
  }

  let looking = goOn()
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await looking
    },
  }
}

const DIED = 'The process that ran this test died. Run it again.'

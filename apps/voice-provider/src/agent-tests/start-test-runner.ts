import type { ProviderStore } from '@parley/postgres'
import { AgentContent, type AgentDocument } from '../agents/agent-document.ts'
import { AgentTest } from '../agents/agent-test.ts'
import { mergeConfig } from '../agents/agents.ts'
import { allDocuments, newId, unixSeconds } from '../documents.ts'
import { repeat } from '../repeat.ts'
import type { RunTests } from '../rest/rest-env.ts'
import { Unprocessable } from '../rest/refusal.ts'
import {
  INVOCATION,
  type Invocation,
  type TestRun,
  failPending,
  toInvocation,
  toPendingRun,
  toSettledRun,
  toBody,
  mergeSettled,
} from './invocation.ts'
import { type TestOutcome, runTest } from './run-test.ts'
import type { AgentTestHost } from './mocked-tools.ts'

export interface TestRunnerHost extends AgentTestHost {
  readonly store: Pick<ProviderStore, 'documents'>
  readonly onError: (error: unknown) => void
  readonly pace?: Pace
}

export interface TestRunner {
  readonly runTests: RunTests
  /** Unfinished tests fail. */
  readonly stop: () => Promise<void>
}

const MOST_AT_ONCE = 4
const LONGEST_MS = 300_000
const USUAL_PACE: Pace = { beatMs: 5_000, deadMs: 30_000 }

/** Runs tests in the background, a few at a time, and stores the results. */
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

  /** Runs the work when a slot is free. */
  const runInSlot = (work: () => Promise<void>) =>
    new Promise<void>((resolve) => {
      waiting.push(() => work().finally(resolve))
      startNext()
    })

  const runSafely = async (agent: AgentDocument, test: AgentTest): Promise<TestOutcome> => {
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(LONGEST_MS)])
    try {
      // Do not wait for a model that ignores the abort.
      return await Promise.race([runTest(agent, test, host, signal), whenAborted(signal)])
    } catch (failure) {
      onError(failure)
      const reason = `The test could not be run: ${String(failure)}`
      return { verdict: { result: 'unknown', reason }, reasons: [], transcript: [] }
    }
  }

  const runAll = async (id: string, agent: AgentDocument, runs: TestRun[], tests: readonly AgentTest[]) => {
    const keep = createRunSaver(documents, id, runs, onError)
    const trials = tests.map((test, at) =>
      runInSlot(async () => {
        const run = runs[at]
        if (!run || stopping.signal.aborted) return
        runs[at] = toSettledRun(run, await runSafely(agent, test), now())
        keep()
      }),
    )
    await Promise.all(trials)
    // If this fails, the heartbeat stops and another process finishes the pending runs.
    await documents.change(INVOCATION, id, (body) =>
      toBody(failPending(mergeSettled(toInvocation(body), runs), STOPPED, now())),
    )
    await documents.remove(RUNNING, id)
  }

  return {
    async runTests(current, { tests: requested, agent_config_override, repeat_count }) {
      const agent = applyAgentOverride(current, agent_config_override)
      const id = newId('suite')
      const tests = await findTests(documents, requested)
      const repeated = tests.flatMap((test) => Array.from({ length: repeat_count }, () => test))
      const runs = repeated.map(({ testId, test }) =>
        toPendingRun(
          agent,
          { test_run_id: newId('testrun'), test_invocation_id: id, test_id: testId, test_name: test.name },
          now(),
        ),
      )
      const invocation: Invocation = {
        agent_id: agent.agentId,
        branch_id: agent.branchId,
        version_id: agent.versionId,
        created_at: unixSeconds(now()),
        repeat_count,
        test_runs: [...runs],
      }
      // Store the heartbeat first, so every invocation has one.
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

const STOPPED = 'The provider stopped before this test ended. Run it again.'

const whenAborted = (signal: AbortSignal) =>
  new Promise<TestOutcome>((resolve) => {
    const reason = 'The test was cancelled or took too long.'
    const outcome: TestOutcome = { verdict: { result: 'unknown', reason }, reasons: [], transcript: [] }
    signal.addEventListener('abort', () => resolve(outcome), { once: true })
  })

async function findTests(
  documents: ProviderStore['documents'],
  requested: readonly { readonly test_id: string }[],
) {
  const found = await Promise.all(requested.map(({ test_id }) => documents.get('test', test_id)))
  return found.flatMap((document) =>
    document ? [{ testId: document.id, test: AgentTest.parse(document.body) }] : [],
  )
}

/** Stores finished runs, one write at a time. */
function createRunSaver(
  documents: ProviderStore['documents'],
  id: string,
  runs: readonly TestRun[],
  onError: (error: unknown) => void,
) {
  let writing: Promise<unknown> = Promise.resolve()
  let isScheduled = false
  return (): void => {
    if (isScheduled) return
    isScheduled = true
    writing = writing
      .then(() => {
        isScheduled = false
        return documents.change(INVOCATION, id, (body) => toBody(mergeSettled(toInvocation(body), runs)))
      })
      .catch(onError)
  }
}

/** Applies the configuration override of a test run. */
function applyAgentOverride(agent: AgentDocument, override: unknown): AgentDocument {
  if (override === undefined || override === null) return agent
  const { conversation_config, platform_settings } = agent
  const merged = mergeConfig({ conversation_config, platform_settings }, override)
  const parsed = AgentContent.pick({ conversation_config: true, platform_settings: true }).safeParse(merged)
  if (!parsed.success) throw Unprocessable.fromIssues('body', parsed.error.issues, merged)
  return { ...agent, ...parsed.data }
}

/** Heartbeat document of a running invocation; it has the invocation's id. */
const RUNNING = 'running_tests'

interface Pace {
  readonly beatMs: number
  /** Time without a heartbeat after which the tests count as dead. */
  readonly deadMs: number
}

interface KeepAliveHost {
  readonly documents: ProviderStore['documents']
  /** Invocations of this process. */
  readonly own: () => Iterable<string>
  readonly pace: Pace
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

/** Writes heartbeats for this process's tests, and fails tests of dead processes. */
function keepAlive({ documents, own, pace, now, onError }: KeepAliveHost) {
  const lastBeats = new Map<string, { readonly beat: number; readonly seenAt: number }>()

  const fail = async (id: string) => {
    await documents.change(INVOCATION, id, (body) => toBody(failPending(toInvocation(body), DIED, now())))
    await documents.remove(RUNNING, id)
    lastBeats.delete(id)
  }

  const checkHeartbeats = async () => {
    const mine = new Set(own())
    for (const id of mine) await documents.change(RUNNING, id, (body) => body)
    for await (const { id, updatedAt } of allDocuments(documents, RUNNING)) {
      if (mine.has(id)) continue
      // Measure with our own clock, because clocks of two machines may differ.
      const beat = updatedAt.getTime()
      const last = lastBeats.get(id)
      if (last?.beat !== beat) lastBeats.set(id, { beat, seenAt: performance.now() })
      else if (performance.now() - last.seenAt >= pace.deadMs) await fail(id)
    }
  }

  return repeat(checkHeartbeats, pace.beatMs, onError)
}

const DIED = 'The process that ran this test died. Run it again.'

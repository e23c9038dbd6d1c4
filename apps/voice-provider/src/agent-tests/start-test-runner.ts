import type { ProviderStore } from '@parley/postgres'
import { AgentContent, type AgentDocument } from '../agents/agent-document.ts'
import { AgentTestConfig } from '../agents/agent-test.ts'
import { mergeConfig } from '../agents/agent-store.ts'
import { createBackgroundSaver } from '../background-saver.ts'
import { iterateDocuments, createId, toUnixSeconds } from '../documents.ts'
import { repeatUntilStopped } from '../repeat-until-stopped.ts'
import type { RunTests } from '../rest/rest-env.ts'
import { UnprocessableRequest } from '../rest/refusal.ts'
import {
  INVOCATION,
  type TestInvocation,
  type AgentTestRun,
  failPending,
  toInvocation,
  toPendingRun,
  toSettledRun,
  toInvocationBody,
  mergeSettled,
} from './invocation.ts'
import { type TestOutcome, runTest } from './run-test.ts'
import { waitUnlessAborted } from '../wait.ts'
import type { AgentTestHost } from './mocked-tools.ts'

export interface TestRunnerHost extends AgentTestHost {
  readonly store: Pick<ProviderStore, 'documents'>
  readonly onError: (error: unknown) => void
  readonly heartbeatPace?: HeartbeatPace
}

export interface TestRunner {
  readonly runTests: RunTests
  /** Unfinished tests fail. */
  readonly stop: () => Promise<void>
}

const MAX_PARALLEL_TESTS = 4
const MAX_MS = 300_000
const USUAL_PACE: HeartbeatPace = { beatMs: 5_000, deadMs: 30_000 }

/** Runs tests in the background, a few at a time, and stores the results. */
export function startTestRunner(host: TestRunnerHost): TestRunner {
  const { store, now, onError, heartbeatPace: pace = USUAL_PACE } = host
  const { documents } = store
  const stopping = new AbortController()
  const running = new Map<string, Promise<void>>()
  const waiting: (() => Promise<void>)[] = []
  let busy = 0
  const heartbeats = watchRunningTests({ documents, listOwnIds: () => running.keys(), pace, now, onError })

  const startNext = () => {
    while (busy < MAX_PARALLEL_TESTS) {
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

  const runSafely = async (agent: AgentDocument, test: AgentTestConfig): Promise<TestOutcome> => {
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(MAX_MS)])
    try {
      // Do not wait for a model that ignores the abort.
      const outcome = await waitUnlessAborted(runTest(agent, test, host, signal), signal)
      return outcome ?? createUnknownOutcome('The test was cancelled or took too long.')
    } catch (failure) {
      onError(failure)
      return createUnknownOutcome(`The test could not be run: ${String(failure)}`)
    }
  }

  const runAll = async (
    id: string,
    agent: AgentDocument,
    runs: AgentTestRun[],
    tests: readonly AgentTestConfig[],
  ) => {
    const saver = createBackgroundSaver(
      () =>
        documents.change(INVOCATION, id, (body) => toInvocationBody(mergeSettled(toInvocation(body), runs))),
      onError,
    )
    const testRuns = tests.map((test, at) =>
      runInSlot(async () => {
        const run = runs[at]
        if (!run || stopping.signal.aborted) return
        runs[at] = toSettledRun(run, await runSafely(agent, test), now())
        saver.schedule()
      }),
    )
    await Promise.all(testRuns)
    // If this fails, the heartbeat stops and another process finishes the pending runs.
    await documents.change(INVOCATION, id, (body) =>
      toInvocationBody(failPending(mergeSettled(toInvocation(body), runs), STOPPED, now())),
    )
    await documents.remove(RUNNING, id)
  }

  return {
    async runTests(current, { tests: requested, agent_config_override, repeat_count }) {
      const agent = applyAgentOverride(current, agent_config_override)
      const id = createId('suite')
      const tests = await findTests(documents, requested)
      const repeated = tests.flatMap((test) => Array.from({ length: repeat_count }, () => test))
      const runs = repeated.map(({ testId, test }) =>
        toPendingRun(
          agent,
          { test_run_id: createId('testrun'), test_invocation_id: id, test_id: testId, test_name: test.name },
          now(),
        ),
      )
      const invocation: TestInvocation = {
        agent_id: agent.agentId,
        branch_id: agent.branchId,
        version_id: agent.versionId,
        created_at: toUnixSeconds(now()),
        repeat_count,
        test_runs: [...runs],
      }
      // Store the heartbeat first, so every invocation has one.
      await documents.put(RUNNING, { id, parentId: agent.agentId, body: {} })
      await documents.put(INVOCATION, { id, parentId: agent.agentId, body: toInvocationBody(invocation) })
      const work = runAll(
        id,
        agent,
        runs,
        repeated.map(({ test }) => test),
      )
        .catch(onError)
        .finally(() => running.delete(id))
      running.set(id, work)
      return { id, ...toInvocationBody(invocation) }
    },
    async stop() {
      stopping.abort()
      await Promise.all(running.values())
      await heartbeats.stop()
    },
  }
}

const STOPPED = 'The provider stopped before this test ended. Run it again.'

const createUnknownOutcome = (reason: string): TestOutcome => ({
  verdict: { result: 'unknown', reason },
  reasons: [],
  transcript: [],
})

async function findTests(
  documents: ProviderStore['documents'],
  requested: readonly { readonly test_id: string }[],
) {
  const found = await Promise.all(requested.map(({ test_id }) => documents.get('test', test_id)))
  return found.flatMap((document) =>
    document ? [{ testId: document.id, test: AgentTestConfig.parse(document.body) }] : [],
  )
}

/** Applies the configuration override of a test run. */
function applyAgentOverride(agent: AgentDocument, override: unknown): AgentDocument {
  if (override === undefined || override === null) return agent
  const { conversation_config, platform_settings } = agent
  const merged = mergeConfig({ conversation_config, platform_settings }, override)
  const parsed = AgentContent.pick({ conversation_config: true, platform_settings: true }).safeParse(merged)
  if (!parsed.success) throw UnprocessableRequest.fromIssues('body', parsed.error.issues, merged)
  return { ...agent, ...parsed.data }
}

/** Heartbeat document of a running invocation; it has the invocation's id. */
const RUNNING = 'running_tests'

interface HeartbeatPace {
  readonly beatMs: number
  /** Time without a heartbeat after which the tests count as dead. */
  readonly deadMs: number
}

interface HeartbeatHost {
  readonly documents: ProviderStore['documents']
  /** Invocations of this process. */
  readonly listOwnIds: () => Iterable<string>
  readonly pace: HeartbeatPace
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

/** Writes heartbeats for this process's tests, and fails tests of dead processes. */
function watchRunningTests({ documents, listOwnIds, pace, now, onError }: HeartbeatHost) {
  const lastSeen = new Map<string, { readonly updatedAt: number; readonly seenAt: number }>()

  const failInvocation = async (id: string) => {
    await documents.change(INVOCATION, id, (body) =>
      toInvocationBody(failPending(toInvocation(body), DIED, now())),
    )
    await documents.remove(RUNNING, id)
    lastSeen.delete(id)
  }

  const checkHeartbeats = async () => {
    const own = new Set(listOwnIds())
    for (const id of own) await documents.change(RUNNING, id, (body) => body)
    for await (const { id, updatedAt } of iterateDocuments(documents, RUNNING)) {
      if (own.has(id)) continue
      // Measure with our own clock, because clocks of two machines may differ.
      const last = lastSeen.get(id)
      if (last?.updatedAt !== updatedAt.getTime())
        lastSeen.set(id, { updatedAt: updatedAt.getTime(), seenAt: performance.now() })
      else if (performance.now() - last.seenAt >= pace.deadMs) await failInvocation(id)
    }
  }

  return repeatUntilStopped(checkHeartbeats, pace.beatMs, onError)
}

const DIED = 'The process that ran this test died. Run it again.'

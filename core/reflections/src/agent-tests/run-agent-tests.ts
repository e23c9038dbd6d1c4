import { PlatformError, type ReflectionId, type Surface } from '@parley/contracts'
import type { AgentTest, TestResult } from '../ports/voice-provider.ts'
import type { VoiceAgents } from '../ports/sync-store.ts'
import type { SyncHost } from '../sync/sync-host.ts'
import { buildAgentTests, formatTestNamePrefix, findCoverageWarnings } from './build-agent-tests.ts'

/** The tests of an agent, and warnings about gaps in them. */
interface AgentSuite {
  readonly tests: readonly AgentTest[]
  readonly warnings: readonly string[]
}

interface TestedAgent extends Pick<AgentSuite, 'warnings'> {
  readonly agentId: string
  readonly items: readonly {
    readonly test: AgentTest
    readonly result: Omit<TestResult, 'testId' | 'testName'>
  }[]
}

export interface AgentTestsHost extends SyncHost, Pick<VoiceAgents, 'ensureFresh'> {
  /** The limit for removing the tests after a run. */
  readonly deadline: () => AbortSignal
  /** Receives failures to remove tests, which quote private facts. The next run removes them. */
  readonly onTestsNotRemoved: (failure: unknown) => void
}

/** Brings the agent of a surface up to date and runs the tests of its artifacts. No test stays at the provider. */
export async function runAgentTests(
  reflectionId: ReflectionId,
  surface: Surface,
  host: AgentTestsHost,
  signal: AbortSignal,
): Promise<TestedAgent> {
  const agent = await host.ensureFresh(reflectionId, surface, signal)
  if (agent.kind !== 'fresh') throw createNotCurrentError(surface, agent)
  const suite = await listAgentTests(reflectionId, surface, host, signal)
  const forbidden = surface === 'public' ? await findForbiddenTools(agent.agentId, host, signal) : []
  const run = async (lockSignal: AbortSignal) => {
    try {
      return await runSuite(agent.agentId, suite.tests, host, lockSignal)
    } finally {
      await host.provider
        .removeTests(formatTestNamePrefix(reflectionId, surface), host.deadline())
        .catch((failure: unknown) => host.onTestsNotRemoved(failure))
    }
  }
  const items = await host.store.runExclusively(`the tests ${surface} of ${reflectionId}`, run, signal)
  return { agentId: agent.agentId, warnings: [...suite.warnings, ...forbidden], items }
}

async function runSuite(
  agentId: string,
  tests: readonly AgentTest[],
  host: Pick<SyncHost, 'provider'>,
  signal: AbortSignal,
): Promise<TestedAgent['items']> {
  const named = new Map<string, AgentTest>()
  for (const test of tests) named.set(await host.provider.ensureTest(test, signal), test)
  const run = await host.provider.runTests(agentId, [...named.keys()], signal)
  if (run.kind === 'agent_not_usable') {
    throw new PlatformError('provider_unavailable', {
      message: `The provider cannot test the agent ${run.agentId}: ${run.reason}`,
    })
  }
  const results = new Map(run.results.map((result) => [result.testId, result]))
  return [...named].map(([testId, test]) => {
    const { verdict = 'unfinished', reasons = [] } = results.get(testId) ?? {}
    return { test, result: { verdict, reasons } }
  })
}

/** The tests without a run. */
export async function listAgentTests(
  reflectionId: ReflectionId,
  surface: Surface,
  { runtime, tools }: Pick<SyncHost, 'runtime' | 'tools'>,
  signal: AbortSignal,
): Promise<AgentSuite> {
  const served = await runtime.readPromoted(reflectionId, surface === 'public' ? 'public' : 'private')
  if (!served)
    throw createNotCurrentError(surface, { kind: 'not-ready', missing: 'no artifacts are promoted' })
  const toolIds = await tools.ids(signal)
  const { artifacts } = served
  return {
    tests: buildAgentTests({ reflectionId, surface, artifacts, toolIds }),
    warnings: findCoverageWarnings({ surface, artifacts }),
  }
}

/** Warns about tools of the public agent besides reading. */
async function findForbiddenTools(
  agentId: string,
  { provider, tools }: Pick<SyncHost, 'provider' | 'tools'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const agent = await provider.readAgent(agentId, signal)
  if (agent.kind !== 'agent') return [`The tools of the public agent cannot be read: ${agent.reason}`]
  const { 'retrieve-context': reading } = await tools.ids(signal)
  const forbidden = agent.template.toolIds.filter((toolId) => toolId !== reading)
  return forbidden.map((toolId) => `The public agent holds the tool ${toolId}, which is not for the public.`)
}

type NotFresh = Exclude<Awaited<ReturnType<VoiceAgents['ensureFresh']>>, { readonly kind: 'fresh' }>

function createNotCurrentError(surface: Surface, agent: NotFresh): PlatformError {
  const why = agent.kind === 'stale' ? { differs: [...agent.differs] } : { missing: [agent.missing] }
  const message = `The ${surface} agent could not be updated, so no tests ran.`
  return new PlatformError(CODES[surface === 'public' ? agent.kind : 'private'], { message, ...why })
}

const CODES = {
  stale: 'public_runtime_stale',
  'not-ready': 'public_runtime_not_ready',
  private: 'reflection_not_ready',
} as const

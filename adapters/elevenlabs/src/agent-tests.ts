import type { ElevenLabs } from '@elevenlabs/elevenlabs-js'
import type { AgentTest, TestResult, VoiceProvider } from '@parley/reflections'
import { type Caller, agentOutcome, allPages, unlessMissing } from './call/caller.ts'

const POLL_MS = 1_000

type AgentTests = Pick<VoiceProvider, 'ensureTest' | 'removeTests' | 'runTests'>

export const agentTestMethods = ({ call, now, sleep }: Caller, runMs: number): AgentTests => {
  const find = (search: string, signal: AbortSignal) =>
    allPages(async (cursor) => {
      const page = await call('read', signal, (client, options) =>
        client.conversationalAi.tests.list({ search, pageSize: 100, ...cursor }, options),
      )
      return { items: page.tests, ...page }
    })
  return {
    async ensureTest(test, signal) {
      const body = toVendorTest(test)
      const tests = await find(test.name, signal)
      const existing = tests.find(({ name, type }) => name === test.name && type === body.type)
      const { id } = await call('write', signal, (client, options) =>
        existing
          ? client.conversationalAi.tests.update(existing.id, body, options)
          : client.conversationalAi.tests.create(body, options),
      )
      return id
    },

    async removeTests(prefix, signal) {
      for (const { id, name } of await find(prefix, signal)) {
        if (!name.startsWith(prefix)) continue
        await unlessMissing(
          call('write', signal, (client, options) => client.conversationalAi.tests.delete(id, options)),
        )
      }
    },

    async runTests(agentId, testIds, signal) {
      const tests = testIds.map((testId) => ({ testId }))
      const run = async () => {
        const endsAt = now() + runMs
        let invocation = await call('write', signal, (client, options) =>
          client.conversationalAi.agents.runTests(agentId, { tests }, options),
        )
        const isPending = () => invocation.testRuns.some(({ status }) => status === 'pending')
        while (isPending() && now() + POLL_MS < endsAt) {
          await sleep(POLL_MS, signal).catch(() => undefined)
          invocation = await call('read', signal, (client, options) =>
            client.conversationalAi.tests.invocations.get(invocation.id, options),
          )
        }
        return { kind: 'run', results: invocation.testRuns.map(toTestResult) } as const
      }
      return agentOutcome(agentId, run())
    },
  }
}

function toVendorTest(test: AgentTest): ElevenLabs.conversationalAi.TestsCreateRequestBody {
  const basics = {
    name: test.name,
    dynamicVariables: { ...test.variables },
    chatHistory: test.history.map(({ role, text }, index) => ({
      role: role === 'person' ? ('user' as const) : ('agent' as const),
      message: text,
      timeInCallSecs: index,
    })),
  }
  switch (test.kind) {
    case 'answer':
      return {
        ...basics,
        type: 'llm',
        successCondition: test.condition,
        successExamples: test.goodAnswers.map((response) => ({ response, type: 'success' })),
        failureExamples: test.badAnswers.map((response) => ({ response, type: 'failure' })),
      }
    case 'tool':
      return {
        ...basics,
        type: 'tool',
        toolCallParameters: {
          referencedTool: { id: test.toolId, type: 'webhook' },
          parameters: [],
          verifyAbsence: test.expect === 'not-called',
        },
      }
    case 'simulation':
      return {
        ...basics,
        type: 'simulation',
        simulationScenario: test.scenario,
        simulationMaxTurns: test.maxTurns,
        successConditions: [...test.conditions],
        ...(test.mocks && {
          toolMockConfig: { mockingStrategy: 'all', fallbackStrategy: 'raise_error' },
          toolMockOverrides: Object.fromEntries(
            Object.entries(test.mocks).map(([toolId, mockResult]) => [toolId, [{ mockResult }]]),
          ),
        }),
      }
    default:
      return test satisfies never
  }
}

const VERDICTS: Readonly<Record<ElevenLabs.TestRunStatus, TestResult['verdict']>> = {
  passed: 'passed',
  failed: 'failed',
  pending: 'unfinished',
  cancelled: 'unfinished',
}

function toTestResult(run: ElevenLabs.UnitTestRunResponseModel): TestResult {
  const { summary, messages = [] } = run.conditionResult?.rationale ?? {}
  return {
    testId: run.testId,
    testName: run.testName ?? '',
    // Statuses added by the vendor later count as unfinished.
    verdict: VERDICTS[run.status] ?? 'unfinished',
    reasons: [...(summary ? [summary] : []), ...messages],
  }
}

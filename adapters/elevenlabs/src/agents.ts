import type { ElevenLabs } from '@elevenlabs/elevenlabs-js'
import type { AgentTest, ProviderAgent, TestResult, VoiceProvider } from '@parley/reflections'
import { type VendorCaller, toAgentOutcome, readAllPages, ignoreMissing } from './vendor-caller.ts'
import {
  type VendorAgentFields,
  readElevenLabsAgentTemplate,
  buildElevenLabsAgentTemplate,
} from './elevenlabs-agent-template.ts'
import { toIsoDate, flattenFields, isEmpty } from './vendor-values.ts'

type Agents = Pick<VoiceProvider, 'createAgent' | 'updateAgent' | 'readAgent' | 'removeAgent' | 'listAgents'>

export const createAgentMethods = ({ call }: VendorCaller): Agents => ({
  async createAgent(template, signal) {
    const agent = buildElevenLabsAgentTemplate(template)
    const { agentId } = await call('write', signal, (client, options) =>
      client.conversationalAi.agents.create(agent, options),
    )
    return agentId
  },

  async updateAgent(agentId, template, signal) {
    const agent = buildElevenLabsAgentTemplate(template)
    const update = async () => {
      await call('write', signal, (client, options) =>
        client.conversationalAi.agents.update(agentId, agent, options),
      )
      return { kind: 'updated' } as const
    }
    return toAgentOutcome(agentId, update())
  },

  async readAgent(agentId, signal) {
    const read = async () => {
      const existing = await call('read', signal, (client, options) =>
        client.conversationalAi.agents.get(agentId, {}, options),
      )
      return {
        kind: 'agent',
        agentId,
        template: readElevenLabsAgentTemplate(existing),
        ...listFieldsOutsideTemplate(existing),
      } as const
    }
    return toAgentOutcome(agentId, read())
  },

  async removeAgent(agentId, signal) {
    await ignoreMissing(
      call('write', signal, (client, options) => client.conversationalAi.agents.delete(agentId, options)),
    )
  },

  async listAgents(signal) {
    const agents = await readAllPages(async (cursor) => {
      const page = await call('read', signal, (client, options) =>
        client.conversationalAi.agents.list({ pageSize: 100, ...cursor }, options),
      )
      return { items: page.agents, ...page }
    })
    return agents.map(({ agentId, name, createdAtUnixSecs }) => ({
      agentId,
      name,
      createdAt: toIsoDate(createdAtUnixSecs),
    }))
  },
})

type WholeAgent = VendorAgentFields &
  Pick<ElevenLabs.GetAgentResponseModel, 'phoneNumbers' | 'procedures' | 'workflow' | 'whatsappAccounts'>

/** Fields of an agent outside its template: those that no template can set, and the provider's defaults. */
function listFieldsOutsideTemplate(
  existing: WholeAgent,
): Pick<ProviderAgent, 'unexpectedPaths' | 'otherFields'> {
  const { name, conversationConfig, platformSettings, phoneNumbers, procedures, workflow, whatsappAccounts } =
    existing
  const fields = shortenPaths(
    flattenFields({
      name,
      conversationConfig,
      platformSettings,
      phoneNumbers,
      procedures,
      workflow,
      whatsappAccounts,
    }),
  )
  // Overrides are compared as part of the template.
  const template = { ...readElevenLabsAgentTemplate(existing), overrides: [] }
  const sent = shortenPaths(flattenFields(buildElevenLabsAgentTemplate(template)))
  const altered = Object.keys(sent).filter(
    (path) =>
      !isBelowAny(path, COMPARED_ELSEWHERE) && path in fields && toJson(sent[path]) !== toJson(fields[path]),
  )
  const unexpectedPaths = [...findAdditions(existing), ...altered]
  const everSent = Object.keys(
    shortenPaths(flattenFields(buildElevenLabsAgentTemplate({ ...template, ...fillOptional(template) }))),
  )
  const other = Object.entries(fields).filter(
    ([path]) => !isBelowAny(path, [...COMPARED_ELSEWHERE, ...everSent, ...unexpectedPaths]),
  )
  return { unexpectedPaths, otherFields: Object.fromEntries(other) }
}

/** Compared elsewhere, or computed by the provider. */
const COMPARED_ELSEWHERE = ['overrides', 'prompt.tools', 'safety']

/** Sets every optional field. */
const fillOptional = ({
  temperature,
  endCall,
  postCallWebhookId,
}: ReturnType<typeof readElevenLabsAgentTemplate>) => ({
  temperature: temperature ?? 0,
  endCall: endCall ?? { guidance: '-' },
  postCallWebhookId: postCallWebhookId ?? '-',
})

/** Paths of additions that templates never make. */
function findAdditions({ conversationConfig, platformSettings, phoneNumbers, procedures }: WholeAgent) {
  const prompt = conversationConfig.agent?.prompt
  const { endCall: _, ...otherTools } = prompt?.builtInTools ?? {}
  const additions: Readonly<Record<string, unknown>> = {
    'prompt.mcpServerIds': prompt?.mcpServerIds,
    'prompt.nativeMcpServerIds': prompt?.nativeMcpServerIds,
    'prompt.knowledgeBase': prompt?.knowledgeBase,
    'prompt.customLlm': prompt?.customLlm,
    languagePresets: conversationConfig.languagePresets,
    'auth.shareableToken': platformSettings?.auth?.shareableToken,
    'workspaceOverrides.conversationInitiationClientDataWebhook':
      platformSettings?.workspaceOverrides?.conversationInitiationClientDataWebhook,
    phoneNumbers,
    procedures,
    ...Object.fromEntries(
      Object.entries(otherTools).map(([tool, config]) => [`prompt.builtInTools.${tool}`, config]),
    ),
  }
  return Object.keys(additions).filter((path) => !isEmpty(additions[path]))
}

type Fields = ReturnType<typeof flattenFields>

const shortenPaths = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([path, value]) => [path.replace(PATH_PREFIX, ''), value]))

const PATH_PREFIX = /^(?:conversationConfig\.(?:agent\.)?|platformSettings\.)/

const isBelowAny = (path: string, paths: readonly string[]): boolean =>
  paths.some((outer) => path === outer || path.startsWith(`${outer}.`))

const toJson = (value: unknown): string => JSON.stringify(value)

const POLL_MS = 1_000

type AgentTests = Pick<VoiceProvider, 'ensureTest' | 'removeTests' | 'runTests'>

export const createAgentTestMethods = ({ call, now, sleep }: VendorCaller, runMs: number): AgentTests => {
  const find = (search: string, signal: AbortSignal) =>
    readAllPages(async (cursor) => {
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
        await ignoreMissing(
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
      return toAgentOutcome(agentId, run())
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

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ElevenLabs } from '@elevenlabs/elevenlabs-js'
import type { ModelPort } from '@parley/engine'
import { openProvider } from '@parley/postgres'
import { createAnswerScript, createScriptedModel } from '@parley/engine/testing'
import { expect, onTestFinished, test } from 'vitest'
import { createAgentStore } from '../agents/agent-store.ts'
import { createLookups } from '../start-voice.ts'
import { getVendorError } from '../testing/vendor-client.ts'
import { toInvocation } from './invocation.ts'
import { startTestRunner } from './start-test-runner.ts'
import { toChatHistory, markAsOffline, createTestedAgent } from './agent-test.fixture.ts'

const createGreetingTest = (name: string): ElevenLabs.conversationalAi.TestsCreateRequestBody.Llm => ({
  type: 'llm',
  name,
  chatHistory: toChatHistory('Hello!'),
  successCondition: 'Says "hello".',
  successExamples: [],
  failureExamples: [],
})

/** A model that never answers and ignores the abort. */
const hanging: ModelPort = {
  ...createScriptedModel([]),
  stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
}

test('[P14] every test has the requested number of runs, in order', async () => {
  const { run, conversationalAi, agentId } = await createTestedAgent()
  const runs = await run([createGreetingTest('First'), createGreetingTest('Second')], { repeatCount: 3 })
  expect(runs.map(({ testName }) => testName)).toEqual([
    'First',
    'First',
    'First',
    'Second',
    'Second',
    'Second',
  ])
  expect(runs.every(({ status }) => status === 'passed')).toBe(true)
  expect(new Set(runs.map(({ testRunId }) => testRunId)).size).toBe(6)
  const listed = await conversationalAi.tests.invocations.list({ agentId })
  expect(listed.results).toMatchObject([
    { id: runs[0]?.testInvocationId, testRunCount: 6, passedCount: 6, pendingCount: 0, title: '2 tests' },
  ])
})

test('[P14] an invocation can be read before its runs ended', async () => {
  const model = markAsOffline(
    createScriptedModel(Array.from({ length: 20 }, () => createAnswerScript('Hello.'))),
  )
  const { begin } = await createTestedAgent(model)
  const { testRuns } = await begin([createGreetingTest('Greets')], { repeatCount: 20 })
  expect(testRuns).toHaveLength(20)
  expect(testRuns.every(({ status }) => status === 'pending')).toBe(true)
})

test('[P14] an agent is tested with the configuration override', async () => {
  const model = markAsOffline(createScriptedModel([createAnswerScript('Hello.')]))
  const { run, begin } = await createTestedAgent(model, { agent: { prompt: { prompt: 'As it is.' } } })
  const override = {
    conversationConfig: { agent: { prompt: { prompt: 'As it would be.' } } },
    platformSettings: {},
  }
  await run([createGreetingTest('Greets')], { agentConfigOverride: override })
  expect(model.asked[0]?.system).toContain('As it would be.')
  const wrong = { conversationConfig: { tts: { speed: 9 } }, platformSettings: {} }
  expect(
    await getVendorError(begin([createGreetingTest('Greets')], { agentConfigOverride: wrong })),
  ).toMatchObject({
    statusCode: 422,
  })
})

test('[X4] a provider that stops leaves no run pending', async () => {
  const { begin, voice } = await createTestedAgent(hanging)
  const { id } = await begin([createGreetingTest('Greets')], { repeatCount: 10 })
  await voice.stop()
  const store = await openProvider({ databaseUrl: voice.databaseUrl })
  const invocation = await store.documents.get('test_invocation', id)
  const runs = invocation ? toInvocation(invocation.body).test_runs : []
  expect(runs.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 'failed'))
  expect(await store.documents.list('running_tests', { limit: 1 })).toMatchObject({ items: [] })
  await store.close()
})

test('[X4] runs of a killed process fail; runs of a live one continue', async () => {
  const { begin, voice, agentId } = await createTestedAgent(hanging)
  const testId = (await begin([createGreetingTest('Greets')])).testRuns[0]?.testId ?? ''
  const script = fileURLToPath(new URL('./stuck-runner.fixture.ts', import.meta.url))
  const child = spawn(process.execPath, [script, voice.databaseUrl, testId], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = (await once(child.stdout, 'data')) as readonly Buffer[]
  child.kill('SIGKILL')
  await once(child, 'exit')

  const store = await openProvider({ databaseUrl: voice.databaseUrl })
  const host = {
    ...createLookups(store),
    store,
    selectModel: async () => hanging,
    now: Date.now,
    onError: () => {},
  }
  const living = startTestRunner({ ...host, heartbeatPace: { beatMs: 100, deadMs: 60_000 } })
  onTestFinished(async () => {
    await living.stop()
    await store.close()
  })
  const agent = await createAgentStore(store).find(agentId)
  if (!agent) throw new Error('there is no agent')
  const alive = await living.runTests(agent, { tests: [{ test_id: testId }], repeat_count: 1 })
  // It observes both for the same time.
  const other = startTestRunner({ ...host, heartbeatPace: { beatMs: 100, deadMs: 3_000 } })
  onTestFinished(() => other.stop())
  const findRun = async (id: unknown) => {
    const document = await store.documents.get('test_invocation', String(id))
    return document && toInvocation(document.body).test_runs[0]
  }
  const killed = String(line).trim()
  await expect
    .poll(async () => (await findRun(killed))?.status, { timeout: 30_000, interval: 200 })
    .toBe('failed')
  expect((await findRun(killed))?.condition_result?.rationale.summary).toContain('died')
  expect(await findRun(alive['id'])).toMatchObject({ status: 'pending' })
}, 60_000)

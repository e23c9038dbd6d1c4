import { openProvider } from '@parley/postgres'
import { createAgentStore } from '../agents/agent-store.ts'
import { NewAgent } from '../agents/agent-document.ts'
import { startTestRunner } from './start-test-runner.ts'
import { createLookups } from '../start-voice.ts'

/** A process that runs a test whose model never answers, prints the invocation's id, and waits to be killed. */
const [databaseUrl = '', testId = ''] = process.argv.slice(2)
const store = await openProvider({ databaseUrl })
const { runTests } = startTestRunner({
  ...createLookups(store),
  store,
  selectModel: () => new Promise(() => {}),
  now: Date.now,
  onError: console.error,
})
const agent = await createAgentStore(store).create(NewAgent.parse({ conversation_config: {} }))
const invocation = await runTests(agent, { tests: [{ test_id: testId }], repeat_count: 1 })
process.stdout.write(`${invocation['id'] as string}\n`)
setInterval(() => {}, 60_000)

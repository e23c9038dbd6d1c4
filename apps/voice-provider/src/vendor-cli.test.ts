import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { toChatHistory, createTestedAgent } from './agent-tests/agent-test.fixture.ts'
import { API_KEY, startTestVoice } from './testing/test-voice.ts'
import { createVendorClient } from './testing/vendor-client.ts'

const PROGRAM = fileURLToPath(import.meta.resolve('@elevenlabs/cli/bin/cli.js'))

interface CliResult {
  readonly code: unknown
  readonly output: string
}

/** Runs the vendor's command line in its own folder, which is also its home. */
async function commandLine(url: string) {
  const folder = await mkdtemp(join(tmpdir(), 'parley-vendor-cli-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    ELEVENLABS_BASE_URL: url,
    ELEVENLABS_API_KEY: API_KEY,
  }
  const run = (...args: readonly string[]) =>
    new Promise<CliResult>((resolve) => {
      execFile(process.execPath, [PROGRAM, ...args], { cwd: folder, env }, (failure, stdout, stderr) => {
        resolve({ code: failure?.code ?? 0, output: stdout + stderr })
      })
    })
  const elevenlabs = async (...args: readonly string[]) => {
    const { code, output } = await run(...args)
    if (code !== 0) throw new Error(`elevenlabs ${args.join(' ')}: ${output}`)
    return output
  }
  return { folder, run, elevenlabs }
}

test(
  '[X2] the vendor’s command line adds, pushes and pulls agents, tools and tests',
  { timeout: 120_000 },
  async () => {
    const voice = await startTestVoice()
    const { conversationalAi } = createVendorClient(voice)
    const { folder, elevenlabs } = await commandLine(voice.url)
    await elevenlabs('agents', 'init')
    for (const template of [
      'default',
      'minimal',
      'voice-only',
      'text-only',
      'customer-service',
      'assistant',
    ]) {
      await elevenlabs('agents', 'add', `From ${template}`, '--template', template)
    }
    const { agents } = await conversationalAi.agents.list()
    expect(agents).toHaveLength(6)

    const [file = ''] = (await readdir(join(folder, 'agent_configs'))).filter((name) => /minimal/i.test(name))
    const path = join(folder, 'agent_configs', file)
    const config = JSON.parse(await readFile(path, 'utf8'))
    config.conversation_config.agent.prompt.prompt = 'Pushed from a file.'
    await writeFile(path, JSON.stringify(config))
    expect(await elevenlabs('agents', 'push')).not.toMatch(/error|failed/i)
    const minimal = agents.find(({ name }) => name === 'From minimal')?.agentId ?? ''
    const pushed = await conversationalAi.agents.get(minimal)
    expect(pushed.conversationConfig.agent?.prompt?.prompt).toBe('Pushed from a file.')

    await conversationalAi.agents.update(minimal, {
      conversationConfig: { agent: { prompt: { prompt: 'Changed elsewhere.' } } },
    })
    await elevenlabs('agents', 'pull', '--all', '--yes')
    expect(await readFile(path, 'utf8')).toContain('Changed elsewhere.')
    expect(await elevenlabs('agents', 'push')).not.toMatch(/error|failed/i)
    expect(await elevenlabs('agents', 'status')).toContain('From minimal')

    await elevenlabs('tools', 'add', 'find_order', '--type', 'webhook')
    await elevenlabs('tools', 'add', 'show_map', '--type', 'client')
    expect((await conversationalAi.tools.list()).tools).toHaveLength(2)
    await elevenlabs('tests', 'add', 'Greets')
    expect(await elevenlabs('tests', 'push')).not.toMatch(/error|failed/i)
    expect((await conversationalAi.tests.list()).tests).toMatchObject([{ name: 'Greets', type: 'llm' }])
  },
)

test.each([
  ['passes', 'hello', 0],
  ['fails', 'Paris', 1],
])('[P14] the vendor’s command line reports that a test %s', { timeout: 60_000 }, async (_, word, code) => {
  const { voice, conversationalAi, agentId } = await createTestedAgent()
  const { id } = await conversationalAi.tests.create({
    type: 'llm',
    name: 'Greets',
    chatHistory: toChatHistory('Hello!'),
    successCondition: `Says "${word}".`,
    successExamples: [],
    failureExamples: [],
  })
  await conversationalAi.agents.update(agentId, {
    platformSettings: { testing: { attachedTests: [{ testId: id }] } },
  })
  const { run, elevenlabs } = await commandLine(voice.url)
  await elevenlabs('agents', 'init')
  await elevenlabs('agents', 'pull', '--all', '--yes')
  expect(await run('agents', 'test', agentId)).toMatchObject({
    code,
    output: expect.stringContaining('Greets'),
  })
})

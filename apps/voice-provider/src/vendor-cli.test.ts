import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { API_KEY, testVoice } from './testing/test-voice.ts'
import { vendorClient } from './testing/vendor-client.ts'

const PROGRAM = fileURLToPath(import.meta.resolve('@elevenlabs/cli/bin/cli.js'))

const run = promisify(execFile)

/** The vendor's command line in a folder of its own, which is its home too. */
async function commandLine(url: string) {
  const folder = await mkdtemp(join(tmpdir(), 'parley-vendor-cli-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    ELEVENLABS_BASE_URL: url,
    ELEVENLABS_API_KEY: API_KEY,
  }
  const elevenlabs = async (...args: readonly string[]) => {
    const { stdout, stderr } = await run(process.execPath, [PROGRAM, ...args], { cwd: folder, env }).catch(
      (failure: { stdout: string; stderr: string }) => {
        throw new Error(`elevenlabs ${args.join(' ')}: ${failure.stdout}${failure.stderr}`)
      },
    )
    return stdout + stderr
  }
  return { folder, elevenlabs }
}

test(
  '[X2] the vendor’s command line adds, pushes and pulls agents, tools and tests',
  { timeout: 120_000 },
  async () => {
    const voice = await testVoice()
    const { conversationalAi } = vendorClient(voice)
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

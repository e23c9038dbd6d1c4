import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { API_KEY } from '../testing/test-voice.ts'
import { asked, testedAgent } from './agent-test.fixture.ts'

const PROGRAM = createRequire(import.meta.url).resolve('@elevenlabs/cli/bin/cli.js')

interface Ended {
  readonly code: unknown
  readonly output: string
}

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
  return (...args: readonly string[]) =>
    new Promise<Ended>((resolve) => {
      execFile(process.execPath, [PROGRAM, ...args], { cwd: folder, env }, (failure, stdout, stderr) => {
        resolve({ code: failure?.code ?? 0, output: stdout + stderr })
      })
    })
}

test.each([
  ['passes', 'hello', 0],
  ['fails', 'Paris', 1],
])('[P14] the vendor’s command line says that a test %s', { timeout: 60_000 }, async (_, word, code) => {
  const { voice, conversationalAi, agentId } = await testedAgent()
  const { id } = await conversationalAi.tests.create({
    type: 'llm',
    name: 'Greets',
    chatHistory: asked('Hello!'),
    successCondition: `Says "${word}".`,
    successExamples: [],
    failureExamples: [],
  })
  await conversationalAi.agents.update(agentId, {
    platformSettings: { testing: { attachedTests: [{ testId: id }] } },
  })
  const elevenlabs = await commandLine(voice.url)
  await elevenlabs('agents', 'init')
  await elevenlabs('agents', 'pull', '--all', '--yes')
  const ended = await elevenlabs('agents', 'test', agentId)
  expect(ended).toMatchObject({ code, output: expect.stringContaining('Greets') })
})

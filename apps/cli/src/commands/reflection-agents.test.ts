import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LedgerPage, Reflection, SyncStatus } from '@parley/contracts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createHome, parley } from '../testing/parley-process.ts'
import { runningServer } from '../testing/running-server.ts'

const SLOW = { timeout: 240_000 }

let at: Awaited<ReturnType<typeof createHome>>
let server: Awaited<ReturnType<typeof runningServer>>
let id = ''
beforeAll(async () => {
  at = await createHome()
  server = await runningServer(at)
  id = (await runJson(Reflection, 'create', 'Grace Winter')).id
  const letter = join(at.home, 'letter.md')
  await writeFile(letter, 'I live in Tromsø. I like green tea.\n')
  await run('add', id, letter, '--namespace', 'letters', '--wait')
  await run('publish', id, 'letters')
  // The worker builds its artifacts in the background.
  await vi.waitUntil(async () => (await statusOf('public')).missing.join() === 'the agent was never synced', {
    timeout: 120_000,
    interval: 500,
  })
}, 240_000)
afterAll(async () => {
  await server?.stop()
  await at[Symbol.asyncDispose]()
})

const run = (...args: readonly string[]) => parley(['reflections', ...args], at)
const runJson = async <T>(shape: z.ZodType<T>, ...args: readonly string[]): Promise<T> => {
  const { stdout, stderr, code } = await run(...args, '--json')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return shape.parse(JSON.parse(stdout))
}
const statusOf = async (surface: string) => {
  const { items } = await runJson(SyncStatus, 'sync', id, '--show', '--surface', surface)
  const [status] = items
  if (!status) throw new Error('there is no such surface')
  return status
}

test('[P7] after a sync the agents are current and show no drift', SLOW, async () => {
  expect((await runJson(LedgerPage, 'artifacts', id)).items.length).toBeGreaterThan(0)
  const shown = await run('sync', id, '--show')
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('standard  not ready') })
  const synced = await run('sync', id)
  expect(synced.stdout).toMatch(
    /standard {2}up to date {2}agent_.*\nmemory {2}up to date.*\npublic {2}up to date/,
  )
  const drift = await run('drift', id)
  expect(drift).toMatchObject({ code: 0, stdout: expect.stringMatching(/public {2}as expected/) })
  const whole = await run('drift', id, '--repair')
  expect(whole).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Nothing had to be repaired\.\n/) })
  const wrong = await run('sync', id, '--surface', 'elsewhere')
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('standard') })
})

test('[P7] a repair reports what it fixed', SLOW, async () => {
  await run('change', id, '--voice', 'kal', '--stock')
  const repaired = await run('drift', id, '--repair')
  expect(repaired).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Repaired:\npublic|^Repaired:\nstandard {2}differs/),
  })
  expect(repaired.stdout).toMatch(/expected "kal"\n[^]*\nNow:\n[^]*standard {2}as expected/)
})

test('[P14] the public agent is tested, and its tests are written to a file', SLOW, async () => {
  const tried = await run('test', id, '--surface', 'public')
  expect(tried).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/passed {2}rfl_\w+ public 01 answers/),
  })
  expect(tried.stdout).toMatch(/(\d+) of \1 passed\.\n$/)
  const file = join(at.home, 'tests.json')
  expect((await run('test', id, '--write', file)).stdout).toMatch(/\d+ tests written to /)
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
    surface: 'standard',
    tests: expect.arrayContaining([expect.objectContaining({ kind: 'tool' })]),
  })
})

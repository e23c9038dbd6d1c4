import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHome, parley } from '../testing/parley-process.ts'
import { runningServer } from '../testing/running-server.ts'
import { openTerminalHere } from '../testing/terminal.ts'

const SLOW = { timeout: 120_000 }

let at: Awaited<ReturnType<typeof createHome>>
let server: Awaited<ReturnType<typeof runningServer>>
beforeAll(async () => {
  at = await createHome()
  server = await runningServer(at)
  const notes = join(at.home, 'garden.md')
  await writeFile(notes, 'I am Grace Winter. I planted the pear tree in 1998. I live in Kent.\n')
  await parley(['reflections', 'create', 'Grace Winter'], at)
  await parley(['reflections', 'add', 'Grace Winter', notes, '--wait'], at)
}, 240_000)
afterAll(async () => {
  await server?.stop()
  await at[Symbol.asyncDispose]()
})

const ask = (message: string, ...options: readonly string[]) =>
  parley(['chat', '--reflection', 'grace', '--message', message, ...options], at)

test('[X2] a reflection answers at a terminal from its sources', SLOW, async () => {
  // Its artifacts are built in the background after the import.
  await expect.poll(() => ask('Hello!'), { timeout: 60_000 }).toMatchObject({ code: 0 })
  const { code, stdout } = await ask('When was the pear tree planted?')
  expect(code).toBe(0)
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('I planted the pear tree in 1998. That is from garden.md.')
})

test('[V1] an interview asks a question', SLOW, async () => {
  expect((await ask('Hello!', '--interview')).stdout.replaceAll(/\s+/g, ' ')).toContain('What do you do')
})

test(
  '[V1] at a prompt the interviewer starts, asks one question at a time, and says how the answers are used',
  SLOW,
  async () => {
    await using terminal = openTerminalHere(['chat', '--reflection', 'grace', '--interview'], at)
    const greeting = (await terminal.until(/> $/)).replaceAll(/\s+/g, ' ')
    expect(greeting).toContain('An interview with the reflection of Grace Winter.')
    expect(greeting).toContain('I would like to get to know Grace Winter better')
    expect(await terminal.say('/help')).toContain('quit; the interview ends and is added as a source')
    expect((await terminal.say('Yes.')).replaceAll(/\s+/g, ' ')).toContain('What do you do')
    const next = await terminal.say('I would rather not say.')
    expect(next.replaceAll(/\s+/g, ' ')).toContain('Where did you grow up')
    expect(await terminal.leave()).toBe(0)
    const last = (await terminal.until(/prints\s+the\s+messages\./)).replaceAll(/\s+/g, ' ')
    expect(last).toContain('It was added as a source.')
    expect(last).toContain('parley reflections patches "Grace Winter"')
    expect((await parley(['reflections', 'sources', 'grace', '--json'], at)).stdout).toContain(
      'conversations',
    )
  },
)

test('[V1] at a prompt a reflection greets; a session without messages is removed', SLOW, async () => {
  const before = await parley(['sessions', '--json'], at)
  await using terminal = openTerminalHere(['chat', '--reflection', 'grace'], at)
  expect((await terminal.until(/> $/)).replaceAll(/\s+/g, ' ')).toMatch(
    /A conversation with .* Grace Winter's reflection/,
  )
  expect(await terminal.say('/help')).toMatch(/quit; the session ends\n/)
  expect(await terminal.leave()).toBe(0)
  expect((await parley(['sessions', '--json'], at)).stdout).toBe(before.stdout)
})

test('[V5] an off-record session is not listed', SLOW, async () => {
  const { code, stdout } = await ask('When was the pear tree planted?', '--off-record', '--json')
  expect(code).toBe(0)
  expect(stdout).toContain('session:turn_completed')
  const both = await ask('Hello!', '--off-record', '--interview')
  expect(both.code).toBe(2)
  expect(both.stderr).toContain('An interview is always saved')
})

test.each([
  [['--agent', 'editor'], '--agent does not apply'],
  [['--file', 'notes.md'], '--file does not apply'],
])('options of local agents are refused: %j', SLOW, async (options, expected) => {
  const { code, stderr } = await ask('Hello!', ...options)
  expect(code).toBe(2)
  expect(stderr).toContain(expected)
})

test('options of reflections are refused without --reflection', SLOW, async () => {
  const { code, stderr } = await parley(['chat', '--interview', '--message', 'Hello!'], at)
  expect(code).toBe(2)
  expect(stderr).toContain('Add --reflection NAME.')
})

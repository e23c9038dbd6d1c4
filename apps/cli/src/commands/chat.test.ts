import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { MAX_MESSAGE_LENGTH } from '@parley/contracts'
import { createHome, parley, readUntil, startParley, waitForEnd } from '../testing/parley-process.ts'
import { parseEvents, prepareLongAnswer } from '../testing/scripted-chat.ts'

test('[S2] a message is answered, listed and shown, and its session resumed', async () => {
  await using at = await createHome()
  const first = await parley(['chat', '--message', 'My sister lives in Oslo.'], at)
  expect(first).toEqual({ code: 0, stdout: expect.stringMatching(/^Noted.*\n$/), stderr: '' })

  const list = await parley(['sessions'], at)
  expect(list.stdout).toMatch(
    /^ID +LAST USED +MESSAGES +TITLE\n[0-9a-z]{8} .* 2 {2}My sister lives in Oslo\.\n$/,
  )
  const { items } = JSON.parse((await parley(['sessions', '--json'], at)).stdout)
  const { id } = items[0]

  const again = await parley(['resume', id.slice(4, 10), '--message', 'Where does my sister live?'], at)
  expect(again).toEqual({
    code: 0,
    stdout: expect.stringContaining('> My sister lives in Oslo.\n'),
    stderr: '',
  })

  const shown = await parley(['sessions', 'show', id], at)
  expect(shown.stdout).toMatch(
    /You .*\nMy sister[^]*Offline .*\nNoted[^]*You .*\nWhere does[^]*Offline .*\nFrom what/,
  )
  const { session, turns } = JSON.parse((await parley(['sessions', 'show', id, '--json'], at)).stdout)
  expect(session).toMatchObject({ sessionId: id, messageCount: 4, model: 'offline' })
  expect(turns).toMatchObject([{ outcome: 'completed' }, { outcome: 'completed' }])
})

test('resume without an id takes the latest session', async () => {
  await using at = await createHome()
  await parley(['chat', '--message', 'My brother lives in Rome.'], at)
  await parley(['chat', '--message', 'My sister lives in Oslo.'], at)
  expect((await parley(['resume', '--message', 'Where does my sister live?'], at)).stdout).toContain('Oslo')
})

test('[S5] [S6] with --json every line is an event, and numbers increase across processes', async () => {
  await using at = await createHome()
  const first = await parley(['chat', '--json', '--message', 'Hello'], at)
  const second = await parley(['resume', '--json', '--message', 'Hello again'], at)
  expect([first.code, second.code]).toEqual([0, 0])
  const [started, ...rest] = parseEvents(first.stdout)
  expect(started).toMatchObject({
    type: 'session:started',
    sequenceNumber: 1,
    context: { workingDir: at.home },
  })
  expect(rest.at(0)?.type).toBe('session:turn_started')
  expect(rest.at(-1)).toMatchObject({ type: 'session:turn_completed', stopReason: 'completed' })
  const numbers = [...parseEvents(first.stdout), ...parseEvents(second.stdout)].map(
    ({ sequenceNumber }) => sequenceNumber,
  )
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b))
  expect(parseEvents(second.stdout).at(0)?.type).toBe('session:turn_started')
})

test('[S2] a signal stops the answer; the partial text is saved and marked', async () => {
  await using at = await createHome()
  const child = startParley(await prepareLongAnswer(at.home), at)
  child.stdin.end()
  await readUntil(child.stdout, /on and on/)
  child.kill('SIGINT')
  const { code, stdout } = await waitForEnd(child)
  expect(code).toBe(4)
  expect(stdout).not.toContain('over')
  const shown = await parley(['sessions', 'show', await latestId(at)], at)
  expect(shown.stdout).toMatch(/on and on[^]*\[stopped\]\n$/)
})

test('the output of a model never controls the terminal', async () => {
  await using at = await createHome()
  await writeFile(join(at.home, 'evil.txt'), 'The code\x1b]0;owned\x07 is \x1b[31mred\u009b2J\u202e.')
  const args = ['--file', 'evil.txt', '--message', 'Read it all back']
  const said = await parley(['chat', ...args], at)
  const shown = await parley(['sessions', 'show', await latestId(at)], at)
  const events = await parley(['chat', '--json', ...args], at)
  for (const { code, stdout } of [said, shown, events]) {
    expect(code).toBe(0)
    // oxlint-disable-next-line no-control-regex -- what must never come through
    expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/)
  }
  expect(said.stdout).toContain('The code␛]0;owned␇ is ␛[31mred')
  expect(parseEvents(events.stdout).length).toBeGreaterThan(3)
})

describe('messages', () => {
  test('standard input is one message, with - or piped in', async () => {
    await using at = await createHome()
    const input = 'What did I say?\nWhere is\tÖstersund?\n'
    for (const args of [['chat', '--message', '-'], ['chat']]) {
      expect((await parley(args, { ...at, input })).code).toBe(0)
      const { turns } = JSON.parse(
        (await parley(['sessions', 'show', await latestId(at), '--json'], at)).stdout,
      )
      expect(turns[0].messages[0].content).toEqual([{ type: 'text', text: input.trimEnd() }])
    }
  })

  test.each<[string, readonly string[], string | Uint8Array, RegExp]>([
    ['bytes that are not text', ['--message', '-'], new Uint8Array([0x68, 0xff]), /not UTF-8 text/],
    ['empty standard input', [], '', /message is empty/],
    ['an empty message', ['--message', '  '], '', /message is empty/],
    ['a missing file', ['--message', 'x', '--file', 'none.txt'], '', /no file none\.txt/],
    [
      'a message that is too long',
      ['--message', '-'],
      'x'.repeat(MAX_MESSAGE_LENGTH + 1),
      /more than 1,000,000/,
    ],
    ['a message of 10 MB', ['--message', '-'], 'x'.repeat(10_000_000), /more than 1,000,000/],
    ['an empty title', ['--message', 'x', '--title', ''], '', /--title must not be empty/],
  ])('%s is refused before anything is saved', async (_, args, input, expected) => {
    await using at = await createHome()
    const { code, stdout, stderr } = await parley(['chat', ...args], { ...at, input })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(expected)
    await expect(readFile(join(at.home, 'history.db'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('an @ mention in --message attaches the file; piped text is never searched for files', async () => {
    await using at = await createHome()
    await writeFile(join(at.home, 'my notes.md'), 'The meeting is on Monday.')
    const message = 'Read it all back @"my notes.md" @bob'
    const said = await parley(['chat', '--message', message], at)
    expect(said).toEqual({
      code: 0,
      stdout: expect.stringContaining('Monday'),
      stderr: 'parley: @bob is not a file here; sent as text.\n',
    })
    expect((await parley(['chat'], { ...at, input: message })).stdout).not.toContain('Monday')
    const missing = await parley(['chat', '--message', 'Read @"none.md"'], at)
    expect(missing).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('no file none.md') })
  })

  test('--title sets the title', async () => {
    await using at = await createHome()
    await parley(['chat', '--title', 'About \x1b[1mfamily', '--message', 'My sister lives in Oslo.'], at)
    expect((await parley(['sessions'], at)).stdout).toContain('About ␛[1mfamily\n')
  })
})

const written = async (home: string, text: string) => writeFile(join(home, 'helper.agent.yaml'), text)

describe('agents', () => {
  const args = ['chat', '--agent', 'helper.agent.yaml', '--message', 'Hello']

  test('[S1] the agent is frozen into the session', async () => {
    await using at = await createHome()
    await written(at.home, 'id: helper\nname: Helper\nprovider: offline\nmodel: offline\nmax_tokens: 3\n')
    const first = await parley(args, at)
    expect(first).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Hello\. I am\s*\n$/),
      stderr: expect.stringContaining('max_tokens'),
    })
    await written(at.home, 'id: helper\nprovider: offline\nmodel: offline\nmax_tokens: 9\n')
    expect((await parley(['resume', '--message', 'Hello'], at)).stdout).toMatch(/^Hello\. I am\s*\n$/)
    expect((await parley(['sessions', 'show', await latestId(at)], at)).stdout).toMatch(/^Helper /m)
  })

  test('[S1] a message that input_schema refuses leaves no session in the history', async () => {
    await using at = await createHome()
    await written(
      at.home,
      'id: helper\nprovider: offline\nmodel: offline\ninput_schema: { properties: { city: { type: string } }, required: [city], additionalProperties: false }\n',
    )
    const { code, stderr } = await parley([...args.slice(0, -1), '{"town":"Oslo"}'], at)
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('city: is missing; it has an unknown key "town".'),
    })
    expect((await parley(['sessions'], at)).stdout).toContain('There are no sessions yet.')
  })

  test.each([
    [
      '[S1] an unknown key',
      'id: helper\nmodle: offline\n',
      /helper\.agent\.yaml:2:1: unknown key "modle"; did you mean "model"\?/,
    ],
    [
      'a provider that is not configured',
      'id: helper\nprovider: anthropic\nmodel: claude-sonnet-4-6\n',
      /The model anthropic\/claude-sonnet-4-6 is not available\. There is no provider named anthropic: known providers are offline/,
    ],
  ])('%s is bad input', async (_, text, expected) => {
    await using at = await createHome()
    await written(at.home, text)
    const { code, stderr } = await parley(args, at)
    expect(code).toBe(2)
    expect(stderr).toMatch(expected)
  })
})

describe('[S16] at rest', () => {
  test('a wrong key is reported and changes nothing', async () => {
    await using at = await createHome()
    await parley(['chat', '--message', 'Hello'], at)
    const before = await readFile(join(at.home, 'history.db'))
    const wrong = { ...at, environment: { PARLEY_HISTORY_KEY: '6'.repeat(64) } }
    for (const command of [['sessions'], ['chat', '--message', 'x'], ['resume', '--message', 'x']]) {
      const { code, stdout } = await parley([...command, '--json'], wrong)
      expect(code).toBe(2)
      expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'history_key_wrong' } })
    }
    expect(await readFile(join(at.home, 'history.db'))).toEqual(before)
    expect((await parley(['sessions'], at)).stdout).toContain('Hello')
  })

  test('a flipped byte is reported', async () => {
    await using at = await createHome()
    await parley(['chat', '--message', 'Hello'], at)
    const path = join(at.home, 'history.db')
    const bytes = await readFile(path)
    for (let place = 4_096 + 100; place < bytes.length; place += 4_096) bytes[place] = (bytes[place] ?? 0) ^ 1
    await writeFile(path, bytes)
    const { code, stdout } = await parley(['sessions', '--json'], at)
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'history_damaged' } })
  })
})

async function latestId(at: { home: string }): Promise<string> {
  const { stdout } = await parley(['sessions', '--json'], at)
  return JSON.parse(stdout).items[0].id
}

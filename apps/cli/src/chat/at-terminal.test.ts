import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SessionView } from '@parley/contracts'
import { describe, expect, test } from 'vitest'
import { configure, answerWith, startModelServer } from '../testing/model-server.ts'
import { createFolder, createHome, parley } from '../testing/parley-process.ts'
import { openTerminal, openTerminalHere } from '../testing/terminal.ts'

type Home = Awaited<ReturnType<typeof createHome>>

async function readSessions(at: Home): Promise<readonly SessionView[]> {
  const { items } = JSON.parse((await parley(['sessions', '--json'], at)).stdout)
  return items.map((item: unknown) => SessionView.parse(item))
}

const PROMPT = /> $/

describe('[X1] the first run', () => {
  test('needs no setup and shows once, in one line, how to add a provider', async () => {
    await using at = await createFolder()
    await using first = openTerminal(['chat'], at)
    const greeting = await first.until(PROMPT)
    expect(greeting).toMatch(/^Offline[^]*To use another model, set ANTHROPIC_API_KEY/)
    expect(await first.say('Hello')).toContain('offline model')
    expect(await first.leave()).toBe(0)
    await using second = openTerminal(['chat'], at)
    expect(await second.until(PROMPT)).not.toContain('To use another model')
    await second.leave()
  })

  test('shows the provider hint at a terminal but not with --json', async () => {
    await using at = await createFolder()
    expect((await parley(['chat', '--json', '--message', 'Hello'], at)).stderr).toBe('')
    await using terminal = openTerminal(['chat'], at)
    expect(await terminal.until(PROMPT)).toContain('To use another model')
  })
})

test('[S8] /cost and `sessions show` agree to the micro-cent after a restart', async () => {
  await using at = await createHome()
  await using server = await startModelServer(answerWith('Yes.', { prompt_tokens: 7, completion_tokens: 3 }))
  await configure(at.home, { local: server })
  await using terminal = openTerminalHere(['chat'], at)
  expect(await terminal.until(PROMPT)).toMatch(/^large \(model local\/large\)\n/)
  expect(await terminal.say('/cost')).toContain('No cost yet.')
  expect(await terminal.say('One')).toContain('Yes.')
  await terminal.leave()
  await using again = openTerminalHere(['resume', '--latest'], at)
  await again.until(PROMPT)
  await again.say('Two')
  const told = await again.say('/cost')
  expect(told).toContain('local/large: $0.00013202 (14 tokens in, 6 out)\n')
  await again.leave()
  const [session] = await readSessions(at)
  const shown = await parley(['sessions', 'show', session?.id ?? ''], at)
  expect(shown.stdout).toContain('local/large: $0.00013202 (14 tokens in, 6 out)\n')
})

test('[S2] /model lists the models, and switching after a message starts a new session', async () => {
  await using at = await createHome()
  await using server = await startModelServer(answerWith('Yes.'))
  await configure(at.home, { local: server })
  await using terminal = openTerminalHere(['chat'], at)
  await terminal.until(PROMPT)
  expect(await terminal.say('/model')).toContain('* local/large\n  local/small\n  offline/offline\n')
  expect(await terminal.say('/model locla/small')).toMatch(/did you mean\slocal\?/)
  expect(await terminal.say('/model local/small')).toMatch(/Using local\/small\.\n/)
  await terminal.say('One')
  expect(server.asked.at(-1)).toMatchObject({ model: 'small' })
  expect(await terminal.say('/model local/large')).toMatch(/This is a new session,\sses_/)
  await terminal.say('Two')
  expect(server.asked.at(-1)).toMatchObject({ model: 'large', messages: [{}, {}, { content: 'Two' }] })
  expect(await terminal.say('/fork local/small')).toMatch(/Using small \(model small\)\.\n/)
  await terminal.leave()
  expect((await readSessions(at)).map(({ model, messageCount }) => [model, messageCount])).toEqual([
    ['small', 4],
    ['large', 4],
    ['small', 2],
  ])
})

test('[S17] /compact and /trim shorten the model’s input, and the session keeps all messages', async () => {
  await using at = await createHome()
  await using server = await startModelServer(
    answerWith('First.'),
    answerWith('She is in Oslo.'),
    answerWith('Yes.'),
  )
  await configure(at.home, { local: server })
  await using terminal = openTerminalHere(['chat'], at)
  await terminal.until(PROMPT)
  await terminal.say('Where is she?')
  expect(await terminal.say('/compact')).toContain('The model now gets none of 2 messages.')
  const answer = await terminal.say('Sure?')
  expect(answer).not.toContain('summary')
  expect(server.asked.at(-1)).toMatchObject({
    messages: [
      { role: 'system', content: expect.stringContaining('She is in Oslo.') },
      { role: 'user', content: 'Sure?' },
    ],
  })
  expect(await terminal.say('/trim 0')).toContain('The model now gets none of 2 messages.')
  await terminal.leave()
  const [session] = await readSessions(at)
  const { stdout } = await parley(['sessions', 'show', session?.id ?? ''], at)
  expect(stdout).toMatch(
    /Where is she\?[^]*First\.[^]*\[from here the model reads a summary of earlier messages\][^]*Sure\?[^]*Yes\.[^]*\[from here earlier messages are not sent to the model\]/,
  )
})

test('[S14] /export writes the same bytes as `parley export` and does not change later exports', async () => {
  await using at = await createHome()
  await using terminal = openTerminalHere(['chat', '--title', 'Oslo'], at)
  await terminal.until(PROMPT)
  expect(await terminal.say('/export')).toContain(
    'parley: This session has no messages yet.\n  Send a message first.\n',
  )
  await terminal.say('Hello')
  expect(await terminal.say('/export')).toContain('oslo.relavium.yaml.')
  expect(await terminal.say('/export')).toContain('oslo-2.relavium.yaml.')
  await writeFile(join(at.home, 'mine.yaml'), 'mine')
  expect(await terminal.say('/export mine.yaml')).toMatch(
    /mine\.yaml already exists and was not overwritten\.[^]*Name another file, as in \/export/,
  )
  await terminal.leave()
  const [session] = await readSessions(at)
  const printed = await parley(['export', session?.id ?? ''], at)
  expect(await readFile(join(at.home, 'oslo.relavium.yaml'), 'utf8')).toBe(printed.stdout)
  expect(await readFile(join(at.home, 'oslo-2.relavium.yaml'), 'utf8')).toBe(printed.stdout)
  expect(await readFile(join(at.home, 'mine.yaml'), 'utf8')).toBe('mine')
  expect((await readSessions(at))[0]?.lastSequence).toBe((session?.lastSequence ?? 0) + 1)
})

test('[S14] /export and `parley export` mask a provider key in the same way, in any folder', async () => {
  await using at = await createHome()
  await using elsewhere = await createFolder()
  const key = 'made-up-key-of-nobody'
  const provider = '[providers.local]\nkind = "openai-compatible"\nbase_url = "http://127.0.0.1:9/v1"\n'
  await writeFile(join(at.home, 'config.toml'), `${provider}api_key_env = "LOCAL_KEY"\n`)
  await parley(['chat', '--title', 'Keys', '--message', `It is ${key}.`], at)
  const withKey = { ...at, environment: { LOCAL_KEY: key } }
  await using terminal = openTerminalHere(['resume', '--latest'], withKey)
  await terminal.until(PROMPT)
  await terminal.say('/export mine.yaml')
  await terminal.leave()
  const written = await readFile(join(at.home, 'mine.yaml'), 'utf8')
  expect(written).toContain('It is [secret LOCAL_KEY].')
  const [session] = await readSessions(at)
  const printed = await parley(['export', session?.id ?? ''], { ...withKey, folder: elsewhere.home })
  expect(printed).toEqual({ code: 0, stdout: written, stderr: '' })
})

describe('[S8] a budget that asks for approval', () => {
  const PAUSING = 'max_cost_microcents = 1000\non_exceed = "pause_for_approval"'
  const QUESTION = /Continue\? \[y\/N\] $/

  test.each([
    ['y', 'Yes.', 1],
    ['n', 'parley: The next step may cost', 0],
  ])('accepts "%s" as an answer', async (typed, expected, requests) => {
    await using at = await createHome()
    await using server = await startModelServer(answerWith('Yes.'))
    await configure(at.home, { local: server }, PAUSING)
    await using terminal = openTerminalHere(['chat'], at)
    await terminal.until(PROMPT)
    expect(await terminal.say('Hi', QUESTION)).toContain('The next step may cost')
    expect(await terminal.say(typed)).toContain(expected)
    expect(server.asked).toHaveLength(requests)
    expect(await terminal.leave()).toBe(0)
  })

  test('asks again after a restart', async () => {
    await using at = await createHome()
    await using server = await startModelServer(answerWith('Yes.'))
    await configure(at.home, { local: server }, PAUSING)
    expect((await parley(['chat', '--message', 'Hi'], at)).code).toBe(3)
    await using terminal = openTerminalHere(['resume', '--latest'], at)
    await terminal.until(QUESTION)
    expect(await terminal.say('y')).toContain('Yes.')
  })
})

test('[S2] two terminals take turns in one session, and each answer uses all earlier messages', async () => {
  await using at = await createHome()
  await using server = await startModelServer(answerWith('Yes.'))
  await configure(at.home, { local: server })
  await using one = openTerminal(['chat'], at)
  await one.until(PROMPT)
  await one.say('One')
  await using other = openTerminal(['resume', '--latest'], at)
  await other.until(PROMPT)
  expect(await other.say('Two')).toContain('Yes.')
  expect(await one.say('Three')).toContain('Yes.')
  const { messages } = server.asked.at(-1) as { messages: readonly { content: string }[] }
  expect(messages.map(({ content }) => content)).toEqual(['One', 'Yes.', 'Two', 'Yes.', 'Three'])
  const [session] = await readSessions(at)
  expect(session?.costs['local/large']).toMatchObject({ inputTokens: 3_000, outputTokens: 150 })
})

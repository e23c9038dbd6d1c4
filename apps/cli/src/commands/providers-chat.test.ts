import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SessionView } from '@parley/contracts'
import { describe, expect, test } from 'vitest'
import { parseEvents } from '../testing/scripted-chat.ts'
import { breakOff, configure, failWith, answerWith, startModelServer } from '../testing/model-server.ts'
import { createHome, parley } from '../testing/parley-process.ts'

type Home = Awaited<ReturnType<typeof createHome>>

async function latest(at: Home): Promise<SessionView> {
  return SessionView.parse(JSON.parse((await parley(['sessions', '--json'], at)).stdout).items[0])
}

/** 1,000 tokens in and 50 out: 1000 × 300 + 50 × 1500.000001 micro-cents, rounded up. */
const ONE_ANSWER = 375_001

describe('[S11] a chat with a provider of the config', () => {
  test('[S18] the default model answers, within its limits and at its price', async () => {
    await using at = await createHome()
    await using server = await startModelServer(answerWith('In Oslo, I think.'))
    await configure(at.home, { local: server })
    const said = await parley(['chat', '--message', 'Where is she?'], at)
    expect(said).toEqual({ code: 0, stdout: 'In Oslo, I think.\n', stderr: '' })
    expect(server.asked).toMatchObject([
      { model: 'large', stream: true, messages: [{ role: 'user', content: 'Where is she?' }] },
    ])
    const { provider, model, costs } = await latest(at)
    expect({ provider, model, costs }).toEqual({
      provider: 'local',
      model: 'large',
      costs: { 'local/large': { inputTokens: 1_000, outputTokens: 50, microcents: ONE_ANSWER } },
    })
  })

  test('[S1] an answer that does not match output_schema is a failure of the model, not bad input', async () => {
    await using at = await createHome()
    await using server = await startModelServer(answerWith('Yes.'), answerWith('No.'))
    await configure(at.home, { local: server })
    await writeFile(
      join(at.home, 'strict.agent.yaml'),
      'id: strict\nprovider: local\nmodel: large\noutput_schema: { type: object }\n',
    )
    const { code, stderr } = await parley(['chat', '--agent', 'strict.agent.yaml', '--message', 'Hi'], at)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('does not fit the output_schema'),
    })
  })

  test('[S8] after a restart the cost continues to the micro-cent', async () => {
    await using at = await createHome()
    await using server = await startModelServer(answerWith('Yes.'))
    await configure(at.home, { local: server })
    await parley(['chat', '--message', 'One'], at)
    expect((await parley(['resume', '--message', 'Two'], at)).code).toBe(0)
    const { id, costs } = await latest(at)
    expect(costs['local/large']?.microcents).toBe(2 * ONE_ANSWER)
    const shown = await parley(['sessions', 'show', id], at)
    expect(shown.stdout).toMatch(/\nlocal\/large: \$0\.00750002 \(2,000 tokens in, 100 out\)\n\nYou/)
    const told = JSON.parse((await parley(['sessions', 'show', id, '--json'], at)).stdout)
    expect(told.cost).toEqual({ microcents: 2 * ONE_ANSWER, unpricedSteps: 0 })
    expect(told.session.costs).toEqual(costs)
  })

  test('[S2] another model creates a fork whose cost starts at zero', async () => {
    await using at = await createHome()
    await using server = await startModelServer(answerWith('Yes.'))
    await configure(at.home, { local: server })
    await parley(['chat', '--message', 'One'], at)
    const old = await latest(at)
    const forked = await parley(['resume', old.id, '--model', 'local/small', '--message', 'Two'], at)
    const { id, model, costs, messageCount } = await latest(at)
    expect(forked.stderr).toBe(`parley: This is a new session, ${id}, with the same past as ${old.id}.\n`)
    expect({ model, messageCount }).toEqual({ model: 'small', messageCount: 4 })
    expect(server.asked.at(-1)).toMatchObject({ model: 'small', messages: [{}, {}, { content: 'Two' }] })
    // The price of a model on this machine is nothing.
    expect(costs).toEqual({ 'local/small': { inputTokens: 1_000, outputTokens: 50, microcents: 0 } })
  })

  test('[S9] variables reach the prompt; --model overrides the config', async () => {
    await using at = await createHome()
    await using server = await startModelServer(answerWith('Yes.'))
    await configure(at.home, { local: server })
    await writeFile(
      join(at.home, 'guide.agent.yaml'),
      'id: guide\nprovider: local\nmodel: large\nsystem_prompt: "You are in {{ctx.city}}."\n',
    )
    const agent = ['--agent', 'guide.agent.yaml', '--model', 'local/small']
    await parley(['chat', ...agent, '--var', 'city=Oslo = home', '--message', 'Hi'], at)
    expect(server.asked).toMatchObject([
      { model: 'small', messages: [{ role: 'system', content: 'You are in Oslo = home.' }, {}] },
    ])
    expect((await latest(at)).context.variables).toEqual({ city: 'Oslo = home' })
  })
})

describe('[S17] a session that is too long', () => {
  test('is trimmed to max_messages for the model, with a notice', async () => {
    await using at = await createHome()
    await using server = await startModelServer(answerWith('Yes.'))
    await configure(at.home, { local: server }, 'max_messages = 2')
    await parley(['chat', '--message', 'One'], at)
    const said = await parley(['resume', '--message', 'Two'], at)
    expect(said).toEqual({
      code: 0,
      stdout: 'Yes.\n',
      stderr: 'parley: earlier messages are no longer sent to the model; all of them stay saved\n',
    })
    expect(server.asked.at(-1)).toMatchObject({ messages: [{ content: 'Two' }] })
  })

  test('is summarised before the context window is full, and the summary is paid', async () => {
    await using at = await createHome()
    await using server = await startModelServer(
      answerWith('Yes.'),
      answerWith('A summary.'),
      answerWith('No.'),
    )
    await configure(at.home, { local: server })
    await parley(['chat', '--message', 'x'.repeat(14_000)], at)
    const said = await parley(['resume', '--message', 'y'.repeat(12_000)], at)
    expect(said).toMatchObject({ code: 0, stdout: 'No.\n' })
    expect(said.stderr).toMatch(
      /^parley: summarising earlier messages\nparley: the model now reads a summary of/,
    )
    expect(server.asked).toHaveLength(3)
    expect(JSON.stringify(server.asked.at(-1))).toContain('A summary.')
    expect(JSON.stringify(server.asked.at(-1))).not.toContain('xxx')
    expect((await latest(at)).costs['local/large']?.microcents).toBe(3 * ONE_ANSWER)
  })
})

test('[S9] a secret in a variable is refused before anything is saved, and not printed', async () => {
  await using at = await createHome()
  const secret = 'sk-ant-api03-AbCdEf0123456789xyzAbCd'
  const { code, stdout, stderr } = await parley(['chat', '--var', `key=${secret}`, '--message', 'Hi'], at)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('The variable "key" looks like an Anthropic API key.')
  expect(stderr).not.toContain('AbCdEf')
  expect(JSON.parse((await parley(['sessions', '--json'], at)).stdout).items).toEqual([])
})

test.each([
  [
    '101 variables',
    Array.from({ length: 101 }, (_, n) => `v${n}=x`),
    'context.variables: at most 100 variables.',
  ],
  ['70,000 characters', [`long=${'x'.repeat(70_000)}`], 'context.variables: at most 65536 characters in all'],
])(
  '[S9] a context of %s is refused as over HTTP, before anything is saved',
  async (_, variables, message) => {
    await using at = await createHome()
    const options = variables.flatMap((variable) => ['--var', variable])
    const { code, stdout, stderr } = await parley(['chat', ...options, '--message', 'Hi'], at)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(`parley: ${message}`)
    expect(JSON.parse((await parley(['sessions', '--json'], at)).stdout).items).toEqual([])
  },
)

test.each([[], ['--json']])('[S13] a key in the output of a model is masked, with %j', async (...options) => {
  await using at = await createHome()
  await using server = await startModelServer(answerWith('It is made-up-key-of-nobody, I think.'))
  const provider = `[providers.local]\nkind = "openai-compatible"\nbase_url = "${server.url}"\n`
  const chat = '[chat]\ndefault_model = "local/large"\n'
  await writeFile(join(at.home, 'config.toml'), `${chat}${provider}api_key_env = "LOCAL_KEY"\n`)
  const environment = { LOCAL_KEY: 'made-up-key-of-nobody' }
  const said = await parley(['chat', '--message', 'Which?', ...options], { ...at, environment })
  expect(said).toMatchObject({ code: 0, stderr: '' })
  expect(said.stdout).toContain('[secret LOCAL_KEY]')
  expect(said.stdout).not.toContain('made-up-key')
})

describe('[S11] when a provider fails', () => {
  const AGENT = 'id: careful\nprovider: first\nmodel: large\nretry: { max_attempts: 1 }\n'
  const CHAIN = 'fallback_chain: [{ provider: second, model: spare }]\n'

  async function askCareful(at: Home, file = AGENT + CHAIN, ...more: readonly string[]) {
    await writeFile(join(at.home, 'careful.agent.yaml'), file)
    return parley(['chat', '--agent', 'careful.agent.yaml', '--message', 'Hi', ...more], at)
  }

  test('the next model of the chain answers, is named, and is paid', async () => {
    await using at = await createHome()
    await using first = await startModelServer(failWith(500, 'on fire'))
    await using second = await startModelServer(answerWith('Here I am.'))
    await configure(at.home, { first, second })
    const said = await askCareful(at)
    expect(said).toEqual({
      code: 0,
      stdout: 'Here I am.\n',
      stderr: 'parley: Using spare; large unavailable\n',
    })
    expect(Object.keys((await latest(at)).costs)).toEqual(['second/spare'])
    const { turns } = JSON.parse(
      (await parley(['sessions', 'show', (await latest(at)).id, '--json'], at)).stdout,
    )
    expect(turns[0].messages[1]).toMatchObject({ modelId: 'spare' })
  })

  test('a single error is retried within the turn, with a notice', async () => {
    await using at = await createHome()
    await using first = await startModelServer(failWith(500, 'on fire'), answerWith('Here I am.'))
    await configure(at.home, { first })
    expect(await parley(['chat', '--message', 'Hi'], at)).toEqual({
      code: 0,
      stdout: 'Here I am.\n',
      stderr: 'parley: first returned an error (500). It said: on fire. Retrying in 1 s.\n',
    })
    expect(first.asked).toHaveLength(2)
    expect((await latest(at)).messageCount).toBe(2)
  })

  test('after the first text there is no fallback; the partial text is saved and marked', async () => {
    await using at = await createHome()
    await using first = await startModelServer(breakOff('Well, '))
    await using second = await startModelServer(answerWith('Here I am.'))
    await configure(at.home, { first, second })
    const said = await askCareful(at)
    expect(said.code).toBe(1)
    expect(said.stdout).toBe('Well, \n')
    expect(said.stderr).toContain('parley: ')
    expect(second.asked).toEqual([])
    const shown = await parley(['sessions', 'show', (await latest(at)).id], at)
    expect(shown.stdout).toContain('[cut off]')
  })

  test('without a fallback chain the failure is reported and the message saved', async () => {
    await using at = await createHome()
    await using first = await startModelServer(failWith(500, 'on fire'))
    await configure(at.home, { first })
    const said = await askCareful(at, AGENT)
    expect(said).toMatchObject({ code: 1, stdout: '' })
    expect(said.stderr).toContain('first')
    expect((await latest(at)).messageCount).toBe(1)
  })

  test('an unknown model is named', async () => {
    await using at = await createHome()
    await using first = await startModelServer(failWith(404, 'model "lrage" not found'))
    await configure(at.home, { first })
    const said = await parley(['chat', '--model', 'first/lrage', '--message', 'Hi'], at)
    expect(said).toMatchObject({ code: 2, stdout: '' })
    expect(said.stderr).toContain('lrage')
  })

  test.each([
    ['frist/large', /no provider named frist: did you mean first\?/],
    ['first', /"first" is a provider; add one of its models/],
    ['large', /"large" is not a model name: write provider\/model/],
    ['offline/large', /The provider offline has one model: offline\/offline\./],
  ])('--model %s is bad input, reported before anything is saved', async (model, expected) => {
    await using at = await createHome()
    await configure(at.home, { first: { url: 'http://127.0.0.1:9/v1' } })
    const { code, stderr } = await parley(['chat', '--model', model, '--message', 'Hi'], at)
    expect(code).toBe(2)
    expect(stderr).toMatch(expected)
    expect(JSON.parse((await parley(['sessions', '--json'], at)).stdout).items).toEqual([])
  })

  test('[S18] an unavailable default model is reported with the file that names it', async () => {
    await using at = await createHome()
    await writeFile(join(at.home, 'config.toml'), '[chat]\ndefault_model = "anthropic/claude-sonnet-4-5"\n')
    const { code, stderr } = await parley(['chat', '--message', 'Hi'], at)
    expect(code).toBe(2)
    expect(stderr).toContain('anthropic/claude-sonnet-4-5')
    expect(stderr).toContain(`default_model is set in ${join(at.home, 'config.toml')}`)
    expect((await parley(['chat', '--model', 'offline/offline', '--message', 'Hi'], at)).code).toBe(0)
  })

  test('[S2] a session whose provider is gone says so, and how to continue', async () => {
    await using at = await createHome()
    await using first = await startModelServer(answerWith('Yes.'))
    await configure(at.home, { first })
    await parley(['chat', '--message', 'Hi'], at)
    const { id } = await latest(at)
    await writeFile(join(at.home, 'config.toml'), '')
    const gone = await parley(['resume', id, '--message', 'Still there?'], at)
    expect(gone).toMatchObject({ code: 2, stdout: '' })
    expect(gone.stderr).toContain('There is no provider named first')
    expect(gone.stderr).toContain(`parley resume ${id.slice(4, 12)} --model PROVIDER/MODEL`)
    const other = await parley(['resume', id, '--model', 'offline/offline', '--message', 'Hello'], at)
    expect(other).toMatchObject({ code: 0, stdout: expect.stringContaining('offline model') })
  })
})

describe('[S8] a budget', () => {
  test('with on_exceed fail: the turn fails before anything leaves the machine', async () => {
    await using at = await createHome()
    await using server = await startModelServer(answerWith('Yes.'))
    await configure(at.home, { local: server }, 'max_cost_microcents = 1000')
    const said = await parley(['chat', '--message', 'Hi'], at)
    expect(said).toMatchObject({ code: 1, stdout: '' })
    expect(said.stderr).toContain('max_cost_microcents')
    expect(server.asked).toEqual([])
  })

  test('with on_exceed pause_for_approval: in a pipe it waits with exit code 3, and can be approved later', async () => {
    await using at = await createHome()
    await using server = await startModelServer(answerWith('Yes.'))
    await configure(
      at.home,
      { local: server },
      'max_cost_microcents = 1000\non_exceed = "pause_for_approval"',
    )
    const said = await parley(['chat', '--message', 'Hi'], at)
    expect(said).toMatchObject({ code: 3, stdout: '' })
    expect(said.stderr).toMatch(
      /^parley: the next step may exceed the budget: \$0 of .* spent\nparley: Waiting for your approval: The next step may cost \$\d/,
    )
    expect(server.asked).toEqual([])
    const { id, openTurn } = await latest(at)
    expect(openTurn?.state).toBe('waiting')
    const again = await parley(['resume', id, '--message', 'Hello?', '--json'], at)
    expect(again.code).toBe(3)
    expect(parseEvents(again.stdout)).toMatchObject([{ type: 'agent:approval_requested', tool: 'spend' }])
  })

  test('with on_exceed warn: the answer is given with a notice', async () => {
    await using at = await createHome()
    await using server = await startModelServer(answerWith('Yes.'))
    await configure(at.home, { local: server }, 'max_cost_microcents = 1000\non_exceed = "warn"')
    const said = await parley(['chat', '--message', 'Hi'], at)
    expect(said).toEqual({
      code: 0,
      stdout: 'Yes.\n',
      stderr: 'parley: the next step may exceed the budget: $0 of less than $0.0001 spent\n',
    })
  })
})

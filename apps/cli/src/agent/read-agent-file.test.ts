import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHome, parley } from '../testing/parley-process.ts'
import { readAgentFile } from './read-agent-file.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-agent-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function written(text: string | Uint8Array): Promise<string> {
  const file = join(folder, 'helper.agent.yaml')
  await writeFile(file, text)
  return file
}

const REST = 'id: helper\nmodel: offline\nprovider: offline\n'

test('[S1] every key of an agent file is read', async () => {
  const file = await written(
    `${REST}name: Helper\nsystem_prompt: |\n  Be brief.\ntemperature: 0.4\nfallback_chain:\n  - { provider: offline, model: offline }\n`,
  )
  expect(await readAgentFile(file)).toEqual({
    id: 'helper',
    model: 'offline',
    provider: 'offline',
    name: 'Helper',
    system_prompt: 'Be brief.\n',
    temperature: 0.4,
    fallback_chain: [{ provider: 'offline', model: 'offline' }],
  })
})

test.each([
  [
    'an unknown key',
    `${REST}sytem_prompt: hi\n`,
    ':4:1: unknown key "sytem_prompt"; did you mean "system_prompt"?',
  ],
  ['an unknown key without a similar one', `${REST}colour: red\n`, ':4:1: unknown key "colour"'],
  [
    'a nested unknown key',
    `${REST}retry:\n  max_attempts: 2\n  max_atempts: 2\n`,
    ':6:3: retry.max_atempts: unknown key "max_atempts"; did you mean "max_attempts"?',
  ],
  ['a value out of range', `${REST}temperature: 9\n`, ':4:14: temperature: must be at most 2'],
  ['a value in a list', `${REST}tools: [a, 7]\n`, ':4:12: tools[1]: must be text, not a number'],
  [
    'an unknown tool',
    `${REST}tools:\n  - read_file\n  - raed_file\n`,
    ':6:5: tools[1]: there is no tool "raed_file"; did you mean "read_file"?',
  ],
  [
    'an unknown tool without a similar one',
    `${REST}tools: [shell-of-mine]\n`,
    ':4:9: tools[0]: there is no tool "shell-of-mine"; known are read_file, ',
  ],
  [
    'a prompt with an input but no input_schema',
    `${REST}system_prompt: Answer {{inputs.q}}.\n`,
    ':4:16: system_prompt: asks for {{inputs.q}}, but the agent has no input_schema',
  ],
  [
    'a prompt with an input that input_schema lacks',
    `${REST}input_schema: { properties: { city: {} } }\nsystem_prompt: |\n  For {{ inputs.ctiy }}.\n`,
    ':5:16: system_prompt: asks for {{ inputs.ctiy }}, but input_schema has no property "ctiy"; did you mean {{inputs.city}}?',
  ],
  ['a missing key', 'id: helper\nprovider: offline\n', ':1:1: the key "model" is missing'],
  ['broken YAML', 'id: helper\nname: "open\n', ':3:1: Missing closing "quote'],
  ['a duplicate key', `${REST}id: other\n`, ':4:1: the key "id" appears twice'],
  [
    'a file that is too long',
    `${REST}#${'x'.repeat(1_000_000)}`,
    ':1:1: it is longer than 1000000 characters',
  ],
  ['a list instead of a mapping', '- a\n', ':1:1: must be an object, not a list'],
  ['an empty file', '', ':1:1: must be an object, not null'],
  ['bytes that are not text', new Uint8Array([0xff, 0xfe]), ':1:1: it is not UTF-8 text'],
])('[S1] %s is reported with file, line and column', async (_, text, expected) => {
  const file = await written(text)
  const reading = readAgentFile(file)
  await expect(reading).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining(`${file}${expected}`),
  })
})

const KEY = `sk-ant-api03-${'mAdE0Up1'.repeat(4)}`

test.each([
  ['description', `description: It is ${KEY}\n`, ':4:14: description: this looks like an Anthropic API key'],
  ['system_prompt', `system_prompt: It is ${KEY}\n`, ':4:16: system_prompt: this looks like'],
  [
    'output_schema',
    `output_schema:\n  examples: [a, ${KEY}]\n`,
    ':5:17: output_schema.examples[1]: this looks like',
  ],
  [
    'mcp_servers',
    'mcp_servers:\n  - { name: tides, command: tides, env: { DB_PASSWORD: mAdE0Up1 } }\n',
    ':5:56: mcp_servers[0].env.DB_PASSWORD: this looks like a password, which does not belong in this file. ' +
      'Save it with `parley keys set NAME`, and write {{secrets.NAME}} here instead',
  ],
  ['a name', `"${KEY}": x\n`, ':4:1: (a key that looks like a secret): unknown key'],
])('[S1] a secret in %s is refused with its position and not printed', async (_, text, expected) => {
  const file = await written(`${REST}${text}`)
  const failure = await readAgentFile(file).catch((reason: unknown) => reason)
  expect(failure).toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining(`${file}${expected}`),
  })
  expect(JSON.stringify([failure, String(failure)])).not.toContain('mAdE0Up1')
})

test('[S1] all problems are reported at once', async () => {
  const file = await written('id: Helper!\nmodle: offline\nprovider: offline\n')
  const failure = await readAgentFile(file).catch((reason: unknown) => reason)
  const lines = (failure as Error).message.split('\n')
  expect(lines).toHaveLength(3)
  expect(failure).toMatchObject({ detail: { file, line: 1, column: 5, path: 'id' } })
})

test('a missing agent file is reported by name', async () => {
  await expect(readAgentFile(join(folder, 'none.yaml'))).rejects.toMatchObject({
    code: 'agent_not_found',
    message: expect.stringMatching(/^There is no agent file .*none\.yaml\.$/),
  })
})

async function withLink() {
  const at = await createHome()
  const project = join(at.home, 'project')
  const agents = join(project, '.parley', 'agents')
  await mkdir(agents, { recursive: true })
  await writeFile(join(at.home, 'private.txt'), 'id: link\nhidden-word: hidden-word\n')
  await symlink(join(at.home, 'private.txt'), join(agents, 'link.agent.yaml'))
  return { ...at, folder: project, agents }
}

test.each([
  ['by its name', ['chat', '--agent', 'link', '--message', 'Hi']],
  ['by its path', ['chat', '--agent', '.parley/agents/link.agent.yaml', '--message', 'Hi']],
  ['in `agents show`', ['agents', 'show', 'link']],
  ['in `agents check`', ['agents', 'check']],
])('[S13] an agent file that links outside its project is refused %s and never quoted', async (_, args) => {
  await using at = await withLink()
  const { code, stdout, stderr } = await parley(args, at)
  expect(code).toBe(2)
  expect(stdout + stderr).toContain('a link to a file outside its project')
  expect(stdout + stderr).not.toContain('hidden-word')
})

test('[S13] links within the project and among the user’s own agents are followed', async () => {
  await using at = await withLink()
  await writeFile(join(at.folder, 'inside.yaml'), agent('inside'))
  await symlink(join(at.folder, 'inside.yaml'), join(at.agents, 'inside.agent.yaml'))
  await mkdir(join(at.home, 'agents'))
  await writeFile(join(at.home, 'elsewhere.yaml'), agent('mine'))
  await symlink(join(at.home, 'elsewhere.yaml'), join(at.home, 'agents', 'mine.agent.yaml'))
  for (const id of ['inside', 'mine']) {
    expect(await parley(['chat', '--agent', id, '--message', 'Hi'], at)).toMatchObject({ code: 0 })
  }
})

const agent = (id: string) => `id: ${id}\nprovider: offline\nmodel: offline\n`

import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfigFile } from './read-config-file.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-config-'))
})
afterAll(() => rm(folder, { recursive: true }))

const SECRET = 'sk-ant-api03-mAdE0Up1ForThe2Test3Only4NotReal5'

async function written(text: string | Uint8Array): Promise<string> {
  const file = join(folder, 'config.toml')
  await writeFile(file, text)
  return file
}

const FULL = `
[chat]
default_model = "local/llama3.2:3b"
reasoning_effort = "low"
fs_scope = "project"
max_turns = 20
max_messages = 100
auto_compact = true
compact_threshold = 0.7
max_cost_microcents = 5_000_000
on_exceed = "pause_for_approval"
allowed_commands = ["npm test"]
allowed_command_globs = ["git log *"]
allowed_domains = ["api.example.org"]

[providers.local]
kind = "openai-compatible"
base_url = "http://127.0.0.1:11434/v1"

[providers.local.models."llama3.2:3b"]
context_window = 8_192
price = { input = 0, output = 0 }

[providers.work]
kind = "anthropic"
api_key_env = "WORK_KEY"

[mcp_servers.files]
command = "files-server"
args = ["--root", "."]
`

test('[S18] every key of a config file is read', async () => {
  const file = await written(FULL)
  const read = await readConfigFile(file)
  expect(read).toMatchObject({ file, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
  expect(read?.config).toMatchObject({
    chat: { max_turns: 20, on_exceed: 'pause_for_approval', allowed_domains: ['api.example.org'] },
    providers: {
      local: { models: { 'llama3.2:3b': { context_window: 8_192, price: { input: 0, output: 0 } } } },
      work: { kind: 'anthropic', api_key_env: 'WORK_KEY' },
    },
    mcp_servers: { files: { command: 'files-server' } },
  })
})

test('[S18] a missing file is no error, and an empty one has no settings', async () => {
  expect(await readConfigFile(join(folder, 'none.toml'))).toBeUndefined()
  expect((await readConfigFile(await written('')))?.config).toEqual({})
  expect((await readConfigFile(await written('\ufeff[chat]\n')))?.config).toEqual({ chat: {} })
})

const provider = (rest: string) => `[providers.x]\nkind = "openai"\n${rest}\n`

test.each<[string, string | Uint8Array, string]>([
  ['an unknown table', '[chatt]\n', ':1:2: unknown key "chatt"; did you mean "chat"?'],
  [
    'an unknown key',
    '[chat]\nmax_turn = 1\n',
    ':2:1: chat.max_turn: unknown key "max_turn"; did you mean "max_turns"?',
  ],
  ['an unknown dotted key', 'chat.max_turn = 1\n', ':1:6: chat.max_turn: unknown key "max_turn"'],
  [
    'an unknown key in an inline table',
    'chat = { fs_scope = "full", "on exceed" = "fail" }',
    ':1:29: chat."on exceed": unknown key "on exceed"; did you mean "on_exceed"?',
  ],
  ['two unknown keys', '[chat]\na1 = 1\nb1 = 1\n', ':3:1: chat.b1: unknown key "b1"'],
  ['a wrong choice', '[chat]\n\nfs_scope = "all"\n', ':3:12: chat.fs_scope: must be one of "sandboxed"'],
  ['a wrong type', '[chat]\nmax_turns = "9"\n', ':2:13: chat.max_turns: must be a number, not text'],
  [
    'a value out of range',
    '[chat]\ncompact_threshold = 2',
    ':2:21: chat.compact_threshold: must be at most 0.95',
  ],
  [
    'an invalid list item',
    '[chat]\nallowed_domains = [\n  "a.org",\n  "https://b.org",\n]\n',
    ':4:3: chat.allowed_domains[1]: a host name in lower case',
  ],
  [
    'a model without a provider',
    '[chat]\ndefault_model = "gpt"',
    ':2:17: chat.default_model: a provider and its model',
  ],
  ['a missing key', '\n[providers.x]\n', ':2:12: providers.x.kind: the key "kind" is missing'],
  ['an unknown kind', '[providers.x]\nkind = "openia"', ':2:8: providers.x.kind: must be one of'],
  [
    'a reserved name',
    '[providers.offline]\nkind = "openai"',
    ':1:12: providers.offline: "offline" is the name',
  ],
  [
    'a compatible provider without a URL',
    '[providers.x]\nkind = "openai-compatible"',
    ':1:12: providers.x.base_url: a provider of the kind',
  ],
  [
    'plain http',
    provider('base_url = "http://example.org/v1"'),
    ':3:12: providers.x.base_url: https://, or http:// to this machine',
  ],
  ['a host that imitates a local one', provider('base_url = "http://localhost:1@example.org/"'), ':3:12: '],
  ['a URL with a query', provider('base_url = "https://example.org/v1?a=b"'), ':3:12: '],
  [
    'a nested key',
    provider('[providers.x.models."a b"]\ncontext_windw = 1'),
    ':4:1: providers.x.models."a b".context_windw: unknown key "context_windw"; did you mean "context_window"?',
  ],
  ['a list of tables', '[[providers]]\nkind = "openai"\n', ':1:'],
  [
    'a server with command and URL',
    '[mcp_servers.x]\ncommand = "a"\nurl = "https://a.org"',
    ':1:1: mcp_servers.x: either a command',
  ],
  ['broken TOML', '[chat]\nmax_turns = = 1\n', ':2:13: '],
  ['a duplicate key', '[chat]\nmax_turns = 1\nmax_turns = 2\n', ':3:'],
  ['an unclosed string', '[chat]\ndefault_model = "a\n', ':2:'],
  ['bytes that are not text', new Uint8Array([0x61, 0xff, 0xfe]), ':1:1: it is not UTF-8 text'],
])('[S18] %s is reported with file, line, column and key', async (_, text, expected) => {
  const file = await written(text)
  await expect(readConfigFile(file)).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining(`${file}${expected}`),
  })
})

test('[S18] all problems are reported at once, from top to bottom', async () => {
  const file = await written('[chat]\nmax_turns = -1\ncolour = 1\n[chats]\n')
  const failure = await readConfigFile(file).catch((reason: unknown) => reason)
  expect((failure as Error).message.split('\n').map((line) => /:(\d+):\d+: /.exec(line)?.[1])).toEqual([
    '2',
    '3',
    '4',
  ])
  expect(failure).toMatchObject({ detail: { file, line: 2, column: 13, path: 'chat.max_turns' } })
})

test.each([
  ['under its own name', provider(`api_key = "${SECRET}"`), 'a key does not belong in this file'],
  ['in place of its variable', provider(`api_key_env = "${SECRET}"`), 'does not belong here'],
  [
    'in an argument',
    `[mcp_servers.x]\ncommand = "a"\nargs = ["${SECRET}"]`,
    'looks like an Anthropic API key',
  ],
  [
    'recognised only by its name',
    '[mcp_servers.x]\ncommand = "a"\nenv = { DB_PASSWORD = "mAdE0Up1" }',
    'Save it with `parley keys set NAME`, and write {{secrets.NAME}}',
  ],
  ['as a name', `[chat]\n"${SECRET}" = 1`, 'unknown key'],
  ['in broken TOML', `[providers.x]\napi_key = "${SECRET}\n`, ':2:'],
])('[S18] a secret %s is refused and not printed', async (_, text, message) => {
  const failure = await readConfigFile(await written(text)).catch((reason: unknown) => reason)
  expect(failure).toMatchObject({ code: 'config_invalid', message: expect.stringContaining(message) })
  expect(JSON.stringify([failure, (failure as Error).message])).not.toContain('mAdE0Up1')
})

test('[S18] very many problems are reported briefly and fast', async () => {
  const lines = Array.from({ length: 50_000 }, (_, index) => `k${index} = 1`)
  const began = process.cpuUsage()
  const failure = await readConfigFile(await written(`[chat]\n${lines.join('\n')}\n`)).catch(
    (reason: unknown) => reason,
  )
  expect((failure as Error).message.split('\n')).toHaveLength(20)
  expect(process.cpuUsage(began).user).toBeLessThan(5_000_000)
})

test('[S18] an unreadable file is reported', async () => {
  const big = join(folder, 'big.toml')
  await writeFile(big, '#'.repeat(10_000_000))
  await expect(readConfigFile(big)).rejects.toMatchObject({
    message: expect.stringContaining('more than 1 MB'),
  })
  const inner = join(folder, 'inner.toml')
  await mkdir(inner)
  await expect(readConfigFile(inner)).rejects.toMatchObject({
    message: expect.stringContaining('it is a folder'),
  })
})

test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
  '[S18] a file without read permission is reported',
  async () => {
    const file = join(folder, 'closed.toml')
    await writeFile(file, '')
    await chmod(file, 0)
    await expect(readConfigFile(file)).rejects.toMatchObject({
      message: expect.stringContaining('access is denied'),
    })
  },
)

test.each([
  ['[providers.__proto__]\nkind = "openai"\n', ':1:12: '],
  ['[chat]\nmax_turns = 3\n[providers.work]\nkind = "openai"\nmodels = { "__proto__" = {} }\n', ':5:12: '],
])('[S18] a reserved property name is refused: %j', async (text, place) => {
  const file = await written(text)
  await expect(readConfigFile(file)).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining(`${file}${place}`),
  })
})

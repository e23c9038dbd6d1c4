import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHome, parley } from '../testing/parley-process.ts'

test('[S18] `config` prints the settings in effect with their source, and no key', async () => {
  await using at = await createHome()
  const file = join(at.home, 'config.toml')
  await writeFile(
    file,
    '[chat]\nallowed_commands = ["npm test"]\n[mcp_servers.files]\ncommand = "files-server"\nargs = ["."]\n',
  )
  const options = { ...at, environment: { OPENAI_API_KEY: 'made-up-value', PARLEY_CHAT_MAX_TURNS: '9' } }
  const { code, stdout } = await parley(['config'], options)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^chat\.allowed_commands +npm test +.*config\.toml$/m)
  expect(stdout).toMatch(/^chat\.max_turns +9 +PARLEY_CHAT_MAX_TURNS$/m)
  expect(stdout).toMatch(/^chat\.fs_scope +sandboxed +default$/m)
  expect(stdout).toMatch(/^chat\.max_messages +200 +default$/m)
  expect(stdout).toMatch(/^chat\.compact_threshold +0\.8 +default$/m)
  expect(stdout).toMatch(/^chat\.max_cost_microcents +not set: no limit +default$/m)
  expect(stdout).toMatch(/^learning\.model +none \(built-in rules\) +default$/m)
  expect(stdout).toMatch(/^learning\.embedding_model +none \(keyword search only\) +default$/m)
  expect(stdout).toMatch(/^http_headers +none +default$/m)
  expect(stdout).toMatch(/^mcp_servers\.files +MCP server "files": runs files-server \. +.*config\.toml$/m)
  const json = await parley(['config', '--json'], options)
  expect(JSON.parse(json.stdout)).toMatchObject({
    chat: {
      max_turns: { value: 9, source: 'PARLEY_CHAT_MAX_TURNS' },
      max_messages: { value: 200, source: 'default' },
    },
    providers: [{ name: 'openai', hasKey: true }, { name: 'offline' }],
    files: [file],
  })
  expect(stdout + json.stdout).not.toContain('made-up-value')
})

test('[S18] an error in a config file stops the command with its line; `doctor` reports it too', async () => {
  await using at = await createHome()
  const file = join(at.home, 'config.toml')
  await writeFile(file, '[chat]\nmax_turn = 1\n')
  const { code, stderr } = await parley(['config'], at)
  expect(code).toBe(2)
  expect(stderr).toContain(`${file}:2:1: chat.max_turn: unknown key "max_turn"; did you mean "max_turns"?`)
  const checked = await parley(['doctor', '--json'], at)
  const { checks } = JSON.parse(checked.stdout) as {
    checks: { name: string; state: string; found: string }[]
  }
  expect(checks.find(({ name }) => name === 'Config')).toMatchObject({
    state: 'problem',
    found: expect.stringContaining(`${file}:2:1: `),
  })
  expect(checks.filter(({ state }) => state === 'problem')).toHaveLength(1)
})

test('[S18] `config` prints headers and search settings with their placeholders, and reports a secret that is not set', async () => {
  await using at = await createHome()
  const file = join(at.home, 'config.toml')
  await writeFile(
    file,
    `[chat]
allowed_domains = ["api.example.org"]
[http_headers."api.example.org"]
Authorization = "Bearer {{secrets.TIDES}}"
[web_search]
kind = "searxng"
url = "https://search.example.org"
headers = { X-Key = "{{ secrets.SEARCH }}" }
[server]
root = "/srv/parley"
[learning]
model = "anthropic/made-up-model"
`,
  )
  await parley(['keys', 'set', 'TIDES'], { ...at, input: 'made-up-tides-secret-42' })
  const { stdout, stderr } = await parley(['config'], at)
  expect(stdout).toMatch(
    /^http_headers\.api\.example\.org +.*Authorization: Bearer \{\{secrets\.TIDES\}\} +.*config\.toml$/m,
  )
  expect(stdout).toMatch(
    /^web_search +.*https:\/\/search\.example\.org .*X-Key: \{\{ secrets\.SEARCH \}\} +.*config\.toml$/m,
  )
  expect(stdout).toMatch(/^server\.root +\/srv\/parley +.*config\.toml$/m)
  expect(stdout).toMatch(/^learning\.model +anthropic\/made-up-model +.*config\.toml$/m)
  expect(stderr).toBe(
    `parley: ${file}: web_search uses the secret SEARCH, which is not set. Set it with: parley keys set SEARCH\n`,
  )
  expect(JSON.parse((await parley(['config', '--json'], at)).stdout)).toMatchObject({
    http_headers: { 'api.example.org': { Authorization: 'Bearer {{secrets.TIDES}}' } },
    web_search: { kind: 'searxng' },
    server: { root: '/srv/parley' },
    learning: { model: 'anthropic/made-up-model' },
  })
})

test('[S18] `config` reports headers for a host that is not allowed, by line', async () => {
  await using at = await createHome()
  const file = join(at.home, 'config.toml')
  await writeFile(file, '[chat]\nmax_turns = 9\n[http_headers."api.example.org"]\nAccept = "text/plain"\n')
  expect((await parley(['config'], at)).stderr).toBe(
    `parley: ${file}:3:15: the headers for api.example.org are never sent: allowed_domains under [chat] does not include it.\n`,
  )
})

const KEY = 'sk-ant-api03-mAdE0Up1ForThe2Test3Only4NotReal5'
const SAVE_AS_SECRET = 'Save it with `parley keys set NAME`, and write {{secrets.NAME}} here instead'

test.each([
  [
    'a command with shell syntax',
    '[chat]\nallowed_commands = ["npm test", "a | b"]\n',
    '2:33: chat.allowed_commands[1]: it has "|"',
  ],
  [
    'an IP address',
    '[chat]\nallowed_domains = ["10.0.0.1"]\n',
    '2:20: chat.allowed_domains[0]: "10.0.0.1" is an IP address',
  ],
  [
    'localhost',
    '[chat]\nallowed_domains = ["localhost"]\n',
    '2:20: chat.allowed_domains[0]: "localhost" is this machine',
  ],
  ['a key in a header', `[http_headers."a.example"]\nX-Key = "${KEY}"\n`, SAVE_AS_SECRET],
  [
    'a key in the environment of an MCP server',
    `[mcp_servers.a]\ncommand = "a"\nenv = { KEY = "${KEY}" }\n`,
    SAVE_AS_SECRET,
  ],
  [
    'a key in a search header',
    `[web_search]\nkind = "brave"\nurl = "https://a.example"\nheaders = { X-Key = "${KEY}" }\n`,
    SAVE_AS_SECRET,
  ],
])('[S18] `config` refuses %s, with file and line', async (_, text, message) => {
  await using at = await createHome()
  await writeFile(join(at.home, 'config.toml'), text)
  const { code, stderr } = await parley(['config'], at)
  expect(code).toBe(2)
  expect(stderr).toContain(message)
  expect(stderr).not.toContain(KEY)
})

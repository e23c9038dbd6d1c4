import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createFolder, createHome, parley } from '../testing/parley-process.ts'

const checked = async (options: Parameters<typeof parley>[1]) => {
  const { code, stdout } = await parley(['doctor', '--json'], options)
  const { checks, problems } = JSON.parse(stdout)
  const byName = Object.fromEntries(checks.map((check: { name: string }) => [check.name, check]))
  return { code, problems, checks: byName }
}

test('a fresh machine has no problems and is not changed', async () => {
  await using at = await createFolder()
  const { code, checks, problems } = await checked(at)
  expect({ code, problems }).toEqual({ code: 0, problems: 0 })
  expect(checks).toMatchObject({
    Node: { state: 'ok', found: process.versions.node },
    'Data folder': { state: 'ok' },
    History: { state: 'ok', found: expect.stringContaining('none yet') },
    'Offline model': { state: 'ok' },
    'parley up': { found: expect.stringContaining('http://127.0.0.1:4400') },
    Voice: { state: 'ok', found: expect.stringContaining('http://127.0.0.1:4401') },
  })
  expect(await readdir(at.home)).toEqual([])
})

test('port 0 is shown as a free port, not as a URL', async () => {
  await using at = await createHome()
  const { checks } = await checked({ ...at, environment: { PARLEY_PORT: '0' } })
  expect(checks).toMatchObject({
    'parley up': { found: 'not running; the web console would be on a free port of 127.0.0.1' },
  })
})

test.each([
  [{}, 'work on this machine only; set PARLEY_PUBLIC_URL to change that'],
  [{ PARLEY_PUBLIC_URL: 'https://talk.example.org' }, 'use https://talk.example.org'],
])('with %j it says where links work', async (environment, words) => {
  await using at = await createHome()
  const { checks } = await checked({ ...at, environment })
  expect(checks).toMatchObject({ Links: { state: 'ok', found: expect.stringContaining(words) } })
})

test('while a server runs, its public URL is reported', async () => {
  await using at = await createHome()
  const server = createServer((_, response) => response.end('{"instanceId":"one"}')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const run = { pid: process.pid, url: `http://127.0.0.1:${port}`, instanceId: 'one' }
    const file = join(at.home, 'run.json')
    await writeFile(file, JSON.stringify({ ...run, publicUrl: 'https://talk.example.org' }))
    expect((await checked(at)).checks).toMatchObject({
      Links: { found: expect.stringContaining('use https://talk.example.org') },
    })
    await writeFile(file, JSON.stringify(run))
    const environment = { PARLEY_PUBLIC_URL: 'https://talk.example.org' }
    expect((await checked({ ...at, environment })).checks).toMatchObject({
      Links: { found: expect.stringContaining('work on this machine only') },
    })
  } finally {
    server.close()
  }
})

test('the report fits 80 columns', async () => {
  await using at = await createHome()
  const { stdout } = await parley(['doctor'], at)
  expect(stdout).toMatch(/^ok {7}Node {11}\d+\./)
  expect(stdout).toMatch(/\n\nNo problems found\.\n$/)
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
})

test('the history and the location of its key are reported', async () => {
  await using at = await createHome()
  await parley(['chat', '--message', 'Hello'], at)
  expect((await checked(at)).checks).toMatchObject({
    History: { state: 'ok', found: expect.stringContaining('opens with the key from the environment') },
  })
})

test('[S16] a wrong key is a problem', async () => {
  await using at = await createHome()
  await parley(['chat', '--message', 'Hello'], at)
  const { code, checks, problems } = await checked({
    ...at,
    environment: { PARLEY_HISTORY_KEY: '6'.repeat(64) },
  })
  expect({ code, problems }).toEqual({ code: 1, problems: 1 })
  expect(checks).toMatchObject({ History: { state: 'problem', found: expect.stringContaining('key') } })
})

test('provider keys are reported by name, never by value', async () => {
  await using at = await createHome()
  const environment = { ANTHROPIC_API_KEY: 'sk-secret-value', OPENAI_API_KEY: '' }
  const { stdout } = await parley(['doctor', '--json'], { ...at, environment })
  expect(stdout).toContain('ANTHROPIC_API_KEY set')
  expect(stdout).not.toContain('OPENAI_API_KEY')
  expect(stdout).not.toContain('sk-secret-value')
})

test('a data folder that is open to other users is a warning, with the command that fixes it', async () => {
  await using at = await createHome()
  await chmod(at.home, 0o755)
  const { code, checks } = await checked(at)
  expect(code).toBe(0)
  expect(checks).toMatchObject({ 'Data folder': { state: 'warning', fix: `Run: chmod 700 ${at.home}` } })
})

test('a data folder that is a file is a problem', async () => {
  await using at = await createHome()
  const file = join(at.home, 'file')
  await writeFile(file, '')
  const { code, checks } = await checked({ ...at, environment: { PARLEY_HOME: file } })
  expect(code).toBe(1)
  expect(checks).toMatchObject({ 'Data folder': { state: 'problem', fix: 'Set PARLEY_HOME to a folder.' } })
})

test('the files of a killed server are not taken for a running one', async () => {
  await using at = await createHome()
  await mkdir(at.home, { recursive: true })
  await writeFile(
    join(at.home, 'run.json'),
    JSON.stringify({ pid: 2 ** 22, startedAt: 0, url: 'http://127.0.0.1:1' }),
  )
  expect((await checked(at)).checks).toMatchObject({
    'parley up': { found: expect.stringMatching(/^not running/) },
  })
})

test('[S12] programs and secrets of tools are checked, and nothing is started', async () => {
  await using at = await createHome()
  await writeFile(
    join(at.home, 'config.toml'),
    `[mcp_servers.there]
command = "env"
[mcp_servers.missing]
command = "no-such-program"
env = { KEY = "{{secrets.TIDES}}" }
[mcp_servers.far]
url = "https://mcp.example.org/"
`,
  )
  const { code, checks } = await checked(at)
  expect(code).toBe(0)
  expect(checks['Tools']).toEqual({
    name: 'Tools',
    state: 'warning',
    found:
      'git found, MCP server there (env found), MCP server missing (no-such-program not found), MCP server far (at https://mcp.example.org/)',
    fix: expect.stringMatching(
      /^Install no-such-program, .*mcp_servers\.missing\.\n.*parley keys set TIDES$/,
    ),
  })
  const without = await checked({ ...at, environment: { PATH: at.home } })
  expect(without.checks['Tools'].fix).toMatch(/^Install git/)
})

test('[S1] [S18] unknown names in the config and in agents are problems', async () => {
  await using at = await createHome()
  await mkdir(join(at.home, 'agents'))
  await writeFile(
    join(at.home, 'agents', 'ed.agent.yaml'),
    `id: ed
provider: offline
model: offline
mcp_servers: [flies]
fallback_chain: [{ provider: opnai, model: large }]
`,
  )
  await writeFile(
    join(at.home, 'config.toml'),
    `[chat]
default_model = "lcoal/large"
[mcp_servers.files]
command = "env"
[providers.local]
kind = "openai-compatible"
base_url = "http://127.0.0.1:1/v1"
`,
  )
  const { code, problems, checks } = await checked(at)
  expect({ code, problems }).toEqual({ code: 1, problems: 2 })
  expect(checks['Providers']).toMatchObject({
    state: 'problem',
    fix: expect.stringMatching(
      /config\.toml: default_model = "lcoal\/large": there is no provider "lcoal"; did you mean "local"\?/,
    ),
  })
  expect(checks['Agents']).toMatchObject({
    state: 'problem',
    found: 'offline, ed',
    fix: expect.stringMatching(
      /ed\.agent\.yaml: fallback_chain\.0\.provider: .*did you mean "openai"\?.*\n.*mcp_servers\.0: .*did you mean "files"\?/,
    ),
  })
})

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { McpServerPolicy } from '../tool-policy.ts'
import { freshFolder, hostile, openMcp } from './mcp.fixture.ts'

const reference = (name: string, ...args: readonly string[]): McpServerPolicy => {
  const manifest = createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/package.json`)
  return { command: process.execPath, args: [join(dirname(manifest), 'dist/index.js'), ...args], isOwn: true }
}

const everything = { everything: reference('server-everything', 'stdio') }

test('[S12] an agent without MCP servers has no mcp_call', async () => {
  const { tools } = await openMcp({ servers: { plain: hostile('plain') }, named: [] })
  expect(tools.declarations).toEqual([])
})

test('[S12] the tools of a server are listed without approval, as untrusted text', async () => {
  const { call, decide } = await openMcp({ servers: everything })
  expect(await decide({ server: 'everything' })).toMatchObject({ kind: 'allowed', decided: { by: 'policy' } })
  const { outcome } = await call({ server: 'everything' })
  expect(outcome).toMatchObject({ kind: 'ok' })
  expect(outcome.text).toMatch(/^\[data [0-9a-f]+ from the MCP server everything: text to read/)
  expect(outcome.text).toContain('## get-sum')
  expect(outcome.text).toContain('"a":{"type":"number"')
})

test('[S12] [S13] a tool is called after a person has seen its arguments', async () => {
  const { call, decide } = await openMcp({ servers: everything })
  const input = { server: 'everything', tool: 'get-sum', arguments: { a: 2, b: 40 } }
  const verdict = await decide(input)
  expect(verdict).toMatchObject({
    kind: 'asks',
    target: 'everything/get-sum',
    grant: { tool: 'mcp_call', target: 'everything/get-sum', pin: expect.stringMatching(/^[0-9a-f]{64}$/) },
  })
  expect(verdict.kind === 'asks' && verdict.preview?.text).toContain(
    'Tool: get-sum\nArguments: {\n  "a": 2,\n  "b": 40\n}',
  )
  const { outcome } = await call(input)
  expect(outcome).toMatchObject({ kind: 'ok' })
  expect(outcome.text).toContain('from the MCP server everything, tool get-sum')
  expect(outcome.text).toContain('The sum of 2 and 40 is 42.')
})

test('[S13] an approval is valid in another process, for the same server and tool', async () => {
  const input = { server: 'everything', tool: 'echo', arguments: { message: 'again' } }
  const [one, other] = [await openMcp({ servers: everything }), await openMcp({ servers: everything })]
  const asked = await one.decide(input)
  await one.clients.close()
  if (asked.kind !== 'asks') throw new Error('not asked')
  expect(await other.decide(input, undefined, asked.inputHash)).toMatchObject({ kind: 'allowed' })
})

test('[S12] pictures are media, links and resources are text', async () => {
  const { call } = await openMcp({ servers: everything })
  const picture = await call({ server: 'everything', tool: 'get-tiny-image' })
  expect(picture).toMatchObject({ outcome: { kind: 'ok' }, media: [{ mediaType: 'image/png' }] })
  const links = await call({ server: 'everything', tool: 'get-resource-links', arguments: { count: 2 } })
  expect(links.outcome.text).toMatch(/\]\(demo:\/\/resource\//)
  const resource = { resourceType: 'Text', resourceId: 1 }
  const embedded = await call({ server: 'everything', tool: 'get-resource-reference', arguments: resource })
  expect(embedded.outcome.text).toContain('demo://resource/dynamic/text/1:\n')
})

test('[S12] a file server reads and writes in its folder', async () => {
  const folder = await freshFolder()
  await writeFile(join(folder, 'note.txt'), 'a note')
  const { call } = await openMcp({ servers: { files: reference('server-filesystem', folder) } })
  const read = await call({
    server: 'files',
    tool: 'read_text_file',
    arguments: { path: join(folder, 'note.txt') },
  })
  expect(read.outcome.text).toContain('a note')
  const path = join(folder, 'new.txt')
  await call({
    server: 'files',
    tool: 'write_file',
    arguments: { path, content: '{{secrets.NAME}} stays as it is' },
  })
  expect(await readFile(path, 'utf8')).toBe('{{secrets.NAME}} stays as it is')
  const outside = await call({
    server: 'files',
    tool: 'read_text_file',
    arguments: { path: '/etc/hostname' },
  })
  expect(outside.outcome).toMatchObject({ kind: 'failed', code: 'tool_failed' })
})

test('[S12] progress extends the timeout of a call', async () => {
  const { call } = await openMcp({ servers: everything, limits: { callMs: 2_000 } })
  const given = { duration: 4, steps: 16 }
  const { outcome } = await call({
    server: 'everything',
    tool: 'trigger-long-running-operation',
    arguments: given,
  })
  expect(outcome.text).toContain('completed')
})

test.each<[string, object, { code: string; text: RegExp }]>([
  [
    'a server that the agent does not name',
    { server: 'other' },
    { code: 'tool_unavailable', text: /has no MCP server "other"\. It has: missing, plain/ },
  ],
  [
    'a server that the config does not have',
    { server: 'missing' },
    { code: 'tool_unavailable', text: /\[mcp_servers\.missing\]/ },
  ],
  [
    'a tool that the server does not have',
    { server: 'plain', tool: 'nope' },
    { code: 'tool_unavailable', text: /has no tool "nope"/ },
  ],
  [
    'a tool that the config does not allow',
    { server: 'narrow', tool: 'echo' },
    { code: 'tool_denied', text: /allows only these tools .* other/ },
  ],
  ['arguments for no tool', { server: 'plain', arguments: {} }, { code: 'validation', text: /no tool/ }],
  [
    'a missing command',
    { server: 'gone', tool: 'echo' },
    { code: 'tool_unavailable', text: /made-up-program was not found on the PATH/ },
  ],
  [
    'a missing secret',
    { server: 'keyless', tool: 'echo' },
    { code: 'tool_unavailable', text: /no secret MADE_UP\. .*parley keys set MADE_UP/ },
  ],
])('[S13] %s is refused with a hint', async (_, input, { code, text }) => {
  const { decide } = await openMcp({
    named: ['missing', 'plain', 'narrow', 'gone', 'keyless'],
    servers: {
      plain: hostile('plain'),
      narrow: hostile('plain', '', { tools: ['other'] }),
      gone: { command: 'made-up-program', isOwn: true },
      keyless: hostile('plain', '', { env: { KEY: '{{secrets.MADE_UP}}' } }),
    },
  })
  expect(await decide({ ...input })).toMatchObject({
    kind: 'refused',
    outcome: { code, text: expect.stringMatching(text) },
  })
})

test('[S12] clearly invalid arguments are reported before a person is asked', async () => {
  const { decide, call } = await openMcp({ servers: everything })
  const input = { server: 'everything', tool: 'get-sum', arguments: { a: 'two' } }
  expect(await decide(input)).toMatchObject({ kind: 'allowed', decided: { by: 'policy' } })
  const { outcome } = await call(input)
  expect(outcome).toMatchObject({ kind: 'failed', code: 'validation' })
  expect(outcome.text).toMatch(/arguments\.b is missing; arguments\.a must be number/)
})

test('[S13] a server of an agent file is used, unless only the person’s own are allowed', async () => {
  const { isOwn: _, ...definition } = hostile('plain')
  const named = [{ name: 'brought', ...definition }]
  const input = { server: 'brought', tool: 'echo', arguments: { text: 'hello' } }
  const { call } = await openMcp({ named })
  expect((await call(input)).outcome.text).toContain('{"text":"hello"}')
  const { decide } = await openMcp({ named, ownOnly: true })
  expect(await decide(input)).toMatchObject({ kind: 'refused', outcome: { code: 'tool_denied' } })
})

test('[S13] attack: a program in the working folder is not found by its bare name', async () => {
  const workingDir = await freshFolder()
  const bin = join(workingDir, 'node_modules', '.bin')
  await mkdir(bin, { recursive: true })
  await writeFile(join(bin, 'planted'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  for (const PATH of [bin, 'node_modules/.bin', `:${bin}`, '.']) {
    const servers = { planted: { command: 'planted', isOwn: true } }
    const { decide } = await openMcp({ servers, workingDir, environment: { PATH } })
    expect(await decide({ server: 'planted', tool: 'echo' })).toMatchObject({
      kind: 'refused',
      outcome: { text: expect.stringContaining('was not found') },
    })
  }
})

test('[S13] attack: a server gets a built environment and no other secret', async () => {
  const { call } = await openMcp({
    servers: { plain: hostile('environment', '', { env: { TOKEN: 'Bearer {{secrets.MADE_UP}}' } }) },
    environment: {
      PATH: '/usr/bin',
      HOME: '/made/up',
      API_KEY: 'made-up-key',
      NODE_OPTIONS: '--inspect',
      LD_PRELOAD: 'x',
    },
    findSecret: (name) => (name === 'MADE_UP' ? 'made-up-secret' : undefined),
  })
  const { outcome } = await call({ server: 'plain', tool: 'echo' })
  const given = JSON.parse(outcome.text.split('\n')[1] ?? '') as Record<string, string>
  expect(given).toMatchObject({ HOME: '/made/up', TERM: 'dumb', TOKEN: 'Bearer made-up-secret' })
  for (const name of ['API_KEY', 'NODE_OPTIONS', 'LD_PRELOAD', 'VITEST'])
    expect(given).not.toHaveProperty(name)
})

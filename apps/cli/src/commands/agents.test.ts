import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHome, parley } from '../testing/parley-process.ts'

const agent = (id: string, rest = '') => `id: ${id}\nprovider: offline\nmodel: offline\n${rest}`

async function newProject() {
  const at = await createHome()
  const folder = join(at.home, 'project')
  const theirs = join(folder, '.parley', 'agents')
  const own = join(at.home, 'agents')
  await mkdir(theirs, { recursive: true })
  await mkdir(own)
  return { ...at, folder, theirs, own }
}

test('[S1] `agents` lists each agent with model, provider and file, and reports hidden and broken ones', async () => {
  await using at = await newProject()
  await writeFile(join(at.own, 'helper.agent.yaml'), agent('helper'))
  await writeFile(join(at.theirs, 'helper.agent.yaml'), agent('helper'))
  await writeFile(join(at.own, 'cloud.agent.yaml'), 'id: cloud\nprovider: anthropic\nmodel: claude\n')
  await writeFile(join(at.own, 'broken.agent.yaml'), 'id: [')
  await writeFile(join(at.own, 'notes.yaml'), 'not an agent')
  const { code, stdout, stderr } = await parley(['agents'], at)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^offline +offline\/offline +ready +built in$/m)
  expect(stdout).toMatch(/^helper +offline\/offline +ready +.*helper\.agent\.yaml$/m)
  expect(stdout).toMatch(/^cloud +anthropic\/claude +no provider "anthropic" +/m)
  expect(stdout.match(/^helper/gm)).toHaveLength(1)
  expect(stderr).toMatch(/"helper" of .*project.* is hidden by .*agents/)
  expect(stderr).toContain('"helper" does not get to replace your own agent helper until you trust it')
  expect(stderr).toMatch(/broken\.agent\.yaml is not a valid agent file\. `parley agents check` says why\./)
  const withKey = await parley(['agents', '--json'], { ...at, environment: { ANTHROPIC_API_KEY: 'made-up' } })
  const { items } = JSON.parse(withKey.stdout) as { items: { id: string; isReady: boolean }[] }
  expect(items.find(({ id }) => id === 'cloud')).toMatchObject({ isReady: true, source: 'own' })
  expect(withKey.stdout).not.toContain('made-up')
})

test('[S1] `agents show` prints an agent as valid YAML, with its file', async () => {
  await using at = await newProject()
  const file = join(at.own, 'helper.agent.yaml')
  await writeFile(file, agent('helper', 'system_prompt: |\n  Be brief.\n  Be kind.\n'))
  const { stdout } = await parley(['agents', 'show', 'helper'], at)
  expect(stdout.split('\n')[0]).toBe(`# ${file}`)
  const copy = join(at.home, 'copy.agent.yaml')
  await writeFile(copy, stdout)
  const again = await parley(['agents', 'show', copy, '--json'], at)
  expect(JSON.parse(again.stdout)).toMatchObject({
    from: copy,
    agent: { id: 'helper', system_prompt: 'Be brief.\nBe kind.\n' },
  })
  const unknown = await parley(['agents', 'show', 'helpr'], at)
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "helper"?') })
})

test('[S1] a new agent works at once and is never overwritten', async () => {
  await using at = await newProject()
  expect(await parley(['agents', 'new', 'my-helper'], at)).toMatchObject({ code: 0 })
  const file = join(at.own, 'my-helper.agent.yaml')
  const text = await readFile(file, 'utf8')
  expect(text).toMatch(/^# yaml-language-server: \$schema=\.\/agent\.schema\.json\n/)
  expect(JSON.parse(await readFile(join(at.own, 'agent.schema.json'), 'utf8'))).toMatchObject({
    type: 'object',
  })
  expect((await parley(['agents', 'check'], at)).stdout).toBe('1 file checked, no problems found.\n')
  const answer = await parley(['chat', '--agent', 'my-helper', '--message', 'My boat is called Wanda.'], at)
  expect(answer).toMatchObject({ code: 0, stderr: '' })
  const again = await parley(['agents', 'new', 'my-helper'], at)
  expect(again).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`"my-helper" already exists: ${file}.`),
  })
  expect(await readFile(file, 'utf8')).toBe(text)
})

test('[S1] `agents new --project --model` creates an agent in the project, with that model', async () => {
  await using at = await newProject()
  const args = ['agents', 'new', 'theirs', '--project', '--model', 'local/meta/llama3:8b', '--json']
  const { stdout } = await parley(args, at)
  const { file } = JSON.parse(stdout) as { file: string }
  expect(file).toBe(join(at.theirs, 'theirs.agent.yaml'))
  const shown = await parley(['agents', 'show', 'theirs', '--json'], at)
  expect(JSON.parse(shown.stdout)).toMatchObject({ agent: { provider: 'local', model: 'meta/llama3:8b' } })
})

test.each([
  ['an id with invalid characters', ['My_Agent'], 'cannot be the id of an agent'],
  [
    'a model without a provider',
    ['x', '--model', 'gpt'],
    'The option --model must be a provider and its model',
  ],
  ['the id of a built-in agent', ['offline'], 'The agent "offline" already exists: built in.'],
])('[S1] `agents new` refuses %s', async (_, args, message) => {
  await using at = await newProject()
  const { code, stderr } = await parley(['agents', 'new', ...args], at)
  expect(code).toBe(2)
  expect(stderr).toContain(message)
  await expect(stat(join(at.own, 'x.agent.yaml'))).rejects.toMatchObject({ code: 'ENOENT' })
})

test('[S1] `agents new` never changes an existing file, even an invalid one', async () => {
  await using at = await newProject()
  const file = join(at.own, 'taken.agent.yaml')
  await writeFile(file, 'id: [')
  const { code, stderr } = await parley(['agents', 'new', 'taken'], at)
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`The file ${file} already exists.`),
  })
  expect(await readFile(file, 'utf8')).toBe('id: [')
})

test('[S1] `agents check` accepts an agent id, even if its file is broken', async () => {
  await using at = await newProject()
  await writeFile(join(at.own, 'broken-one.agent.yaml'), agent('ed', 'tools: [raed_file]\n'))
  await writeFile(join(at.own, 'ok.agent.yaml'), agent('fine'))
  await writeFile(join(at.own, 'bad.agent.yaml'), 'id: [')
  expect((await parley(['agents', 'check', 'fine'], at)).stdout).toBe('1 file checked, no problems found.\n')
  expect((await parley(['agents', 'check', 'bad'], at)).stdout).toMatch(/bad\.agent\.yaml:\d+:\d+: /)
  expect((await parley(['agents', 'check', 'broken-one'], at)).stdout).toMatch(
    /broken-one\.agent\.yaml:4:9: tools\[0\]: there is no tool "raed_file"; did you mean "read_file"\?/,
  )
  expect(await parley(['agents', 'check', 'fnie'], at)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('No agent file has the id "fnie"; did you mean "fine"?'),
  })
})

test('[S1] `agents check` reports unknown names by line, with a suggestion; a missing key is only a notice', async () => {
  await using at = await newProject()
  await writeFile(
    join(at.own, 'ed.agent.yaml'),
    agent(
      'ed',
      'fallback_chain:\n  - { provider: lcoal, model: large }\n  - { provider: offline, model: big }\n',
    ),
  )
  await writeFile(join(at.own, 'al.agent.yaml'), 'id: al\nprovider: antropic\nmodel: claude\n')
  await writeFile(join(at.own, 'ok.agent.yaml'), 'id: ok\nprovider: anthropic\nmodel: claude\n')
  await writeFile(
    join(at.home, 'config.toml'),
    '[providers.local]\nkind = "openai-compatible"\nbase_url = "http://127.0.0.1:1/v1"\n',
  )
  const { code, stdout, stderr } = await parley(['agents', 'check'], at)
  expect(code).toBe(2)
  expect(stdout.trim().split('\n')).toEqual([
    expect.stringMatching(
      /al\.agent\.yaml:2:11: provider: there is no provider "antropic"; did you mean "anthropic"\? `parley providers add antropic` adds it$/,
    ),
    expect.stringMatching(
      /ed\.agent\.yaml:5:17: fallback_chain\[0\]\.provider: there is no provider "lcoal"; did you mean "local"\?/,
    ),
    expect.stringMatching(
      /ed\.agent\.yaml:6:\d+: fallback_chain\[1\]\.model: the provider offline has no model "big"/,
    ),
  ])
  expect(stderr).toBe('parley: The agent "ok": the provider "anthropic" has no key: set ANTHROPIC_API_KEY.\n')
})

test('[S12] an MCP server that is missing in the config is reported by `agents check` and when a chat starts', async () => {
  await using at = await newProject()
  await writeFile(
    join(at.own, 'ed.agent.yaml'),
    agent('ed', 'tools: [mcp_call]\nmcp_servers: [calendar, files]\n'),
  )
  await writeFile(join(at.home, 'config.toml'), '[mcp_servers.files]\ncommand = "files-server"\n')
  const missing = `there is no MCP server "calendar"; add [mcp_servers.calendar] to ${join(at.home, 'config.toml')}, with a command or a url`
  const checked = await parley(['agents', 'check'], at)
  expect(checked).toEqual({
    code: 2,
    stdout: `${join(at.own, 'ed.agent.yaml')}:5:15: mcp_servers[0]: ${missing}\n`,
    stderr: '',
  })
  expect((await parley(['chat', '--agent', 'ed', '--message', 'Hello'], at)).stderr).toBe(
    `parley: The agent "ed" cannot use everything it names: ${missing}.\n`,
  )
})

test('[S1] `agents check` reports all problems of all files by line and column', async () => {
  await using at = await newProject()
  await writeFile(join(at.theirs, 'a.agent.yaml'), agent('a', 'sytem_prompt: x\ntemperature: 9\n'))
  await writeFile(join(at.own, 'b.agent.yaml'), agent('b'))
  await writeFile(join(at.own, 'c.agent.yaml'), agent('b'))
  await writeFile(join(at.own, 'd.agent.yaml'), 'id: [\n')
  const { code, stdout } = await parley(['agents', 'check'], at)
  expect(code).toBe(2)
  expect(stdout.trim().split('\n')).toEqual([
    expect.stringMatching(/a\.agent\.yaml:5:14: temperature: must be at most 2/),
    expect.stringMatching(/a\.agent\.yaml:4:1: unknown key "sytem_prompt"; did you mean "system_prompt"\?/),
    expect.stringMatching(/c\.agent\.yaml:1:1: its id "b" is also used by .*b\.agent\.yaml/),
    expect.stringMatching(/d\.agent\.yaml:\d+:\d+: /),
  ])
  expect(await parley(['agents', 'check', join(at.own, 'b.agent.yaml')], at)).toMatchObject({ code: 0 })
  expect(await parley(['agents', 'check', 'none.agent.yaml'], at)).toMatchObject({ code: 2 })
})

test('[S1] `agents check` reports unknown tools, inputs, providers and MCP servers of an agent in one run', async () => {
  await using at = await newProject()
  const text =
    'id: e\nmodel: m\nprovider: nobody\nsystem_prompt: "{{inputs.q}}"\ntools: [raed_file]\nmcp_servers: [zz]\n'
  await writeFile(join(at.own, 'e.agent.yaml'), text)
  const { code, stdout } = await parley(['agents', 'check'], at)
  expect(code).toBe(2)
  expect(stdout.trim().split('\n')).toEqual([
    expect.stringMatching(/:5:9: tools\[0\]: there is no tool "raed_file"; did you mean "read_file"\?/),
    expect.stringMatching(/:4:16: system_prompt: asks for \{\{inputs\.q\}\}/),
    expect.stringMatching(/:3:11: provider: there is no provider "nobody"/),
    expect.stringMatching(/:6:15: mcp_servers\[0\]: there is no MCP server "zz"/),
  ])
})

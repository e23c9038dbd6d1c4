import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readIdentified, trustFiles } from '../trust/trust-store.ts'
import { findAgent, locateAgent } from './find-agent.ts'
import { readAgentFile } from './read-agent-file.ts'

let home: string
let workingDir: string
let notices: string[]
beforeEach(async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'parley-agents-')))
  home = join(root, 'home')
  workingDir = join(root, 'project')
  notices = []
  await mkdir(join(home, 'agents'), { recursive: true })
  await mkdir(join(workingDir, '.parley', 'agents'), { recursive: true })
})
afterEach(() => rm(join(home, '..'), { recursive: true }))

const find = (given: string) =>
  findAgent(given, { home, workingDir, onNotice: (notice) => notices.push(notice) })

const agent = (id: string, rest = '') => `id: ${id}\nprovider: offline\nmodel: offline\n${rest}`
const writeOwnAgent = (name: string, text: string) =>
  writeFile(join(home, 'agents', `${name}.agent.yaml`), text)
const projects = (name: string) => join(workingDir, '.parley', 'agents', `${name}.agent.yaml`)

test('a built-in agent is found by its id, and no file can replace it', async () => {
  await writeOwnAgent('offline', agent('offline', 'name: Mine\n'))
  expect(await find('offline')).toMatchObject({ id: 'offline', provider: 'offline', name: 'Offline' })
})

test.each(['helper', 'helper.agent.yaml'])('an agent is read from a file: %s', async (name) => {
  const file = join(home, name)
  await writeFile(file, agent('mine'))
  expect(await find(file)).toMatchObject({ id: 'mine' })
})

test('[S1] an id is found in the data folder and in the project, whatever its file name', async () => {
  await writeOwnAgent('one', agent('mine'))
  await writeFile(projects('two'), agent('theirs'))
  expect(await find('mine')).toMatchObject({ id: 'mine' })
  expect(await find('theirs')).toMatchObject({ id: 'theirs' })
  expect(notices).toEqual([])
})

test('[S13] a project’s agent replaces the user’s own once it is trusted, with a notice', async () => {
  await writeOwnAgent('helper', agent('helper', 'name: Mine\n'))
  await writeFile(projects('helper'), agent('helper', 'name: Theirs\n'))
  expect(await find('helper')).toMatchObject({ name: 'Mine' })
  expect(notices).toEqual([
    expect.stringMatching(/two agents "helper"\. Used: .*home.* Not used: .*project.* parley trust /),
  ])
  const { identity } = await readIdentified(projects('helper'), readAgentFile)
  await trustFiles(home, [identity])
  notices = []
  expect(await find('helper')).toMatchObject({ name: 'Theirs' })
  expect(notices).toEqual([expect.stringMatching(/two agents "helper"\. Used: .*project.* Not used: .*home/)])
})

test('[S1] a broken file hides no other agent, and is reported when its id is used', async () => {
  await writeOwnAgent('broken', 'id: [')
  await writeOwnAgent('helper', agent('helper'))
  expect(await find('helper')).toMatchObject({ id: 'helper' })
  await expect(find('broken')).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining('broken.agent.yaml:1:'),
  })
  await expect(find('brokn')).rejects.toMatchObject({
    detail: { fix: expect.stringContaining('1 of the files cannot be read: `parley agents check`') },
  })
})

test.each([
  ['ofline', 'There is no agent "ofline"; did you mean "offline"?'],
  ['revewer', 'There is no agent "revewer"; did you mean "reviewer"?'],
  ['helper', 'There is no agent "helper".'],
])('[S1] an unknown id is reported: %s', async (given, message) => {
  await writeOwnAgent('reviewer', agent('reviewer'))
  await expect(find(given)).rejects.toMatchObject({
    code: 'agent_not_found',
    message,
    detail: { fix: expect.stringContaining('offline, reviewer') },
  })
})

test('a missing file is reported as a file', async () => {
  await expect(find(join(home, 'none.agent.yaml'))).rejects.toMatchObject({
    code: 'agent_not_found',
    message: expect.stringMatching(/^There is no agent file .*none\.agent\.yaml\.$/),
  })
})

const WIDE = agent('wide', 'tools: [read_file, run_command]\nmcp_servers: [files]\n')

test('[S13] a project’s agent gets only read-only tools until its bytes are trusted', async () => {
  const file = projects('wide')
  await writeFile(file, WIDE)
  const narrowed = await find('wide')
  expect(narrowed.tools).toEqual(['read_file'])
  expect(narrowed).not.toHaveProperty('mcp_servers')
  expect(notices).toEqual([expect.stringContaining('Ignored: tool run_command, MCP server files.')])

  const { identity } = await readIdentified(file, readAgentFile)
  await trustFiles(home, [identity])
  notices = []
  expect(await find('wide')).toMatchObject({ tools: ['read_file', 'run_command'], mcp_servers: ['files'] })
  expect(notices).toEqual([])

  await writeFile(file, `${WIDE}# changed\n`)
  expect((await find('wide')).tools).toEqual(['read_file'])
})

test('[S13] the same holds for a file from anywhere else, but not for the user’s own', async () => {
  await writeFile(join(workingDir, 'wide.agent.yaml'), WIDE)
  expect((await find(join(workingDir, 'wide.agent.yaml'))).tools).toEqual(['read_file'])
  await writeOwnAgent('wide', WIDE)
  expect((await find(join(home, 'agents', 'wide.agent.yaml'))).tools).toHaveLength(2)
  expect((await find('wide')).tools).toHaveLength(2)
  const search = { home, workingDir, onNotice: () => undefined }
  expect(await locateAgent('wide', search)).toMatchObject({ source: 'own', needsTrust: [] })
})

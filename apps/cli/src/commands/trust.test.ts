import { appendFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { readEnvironment } from '../environment.ts'
import type { Io } from '../io.ts'
import { createHome, parley } from '../testing/parley-process.ts'
import { trustProject } from './trust.ts'

const WIDE = `[chat]
fs_scope = "project"
max_turns = 5
allowed_commands = ["npm test"]

[providers.theirs]
kind = "openai"
base_url = "https://theirs.example.org/v1"
`

async function newProject(name = 'project', text = WIDE) {
  const at = await createHome()
  const folder = join(at.home, name)
  const file = join(folder, '.parley', 'project.toml')
  await mkdir(join(folder, '.parley', 'agents'), { recursive: true })
  await writeFile(file, text)
  return { ...at, folder, file }
}

/** A person at a terminal who types this. */
function terminal(home: string, typed: string) {
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 })
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined })
  // Text typed before the question does not answer it.
  let shown = ''
  stdout.on('data', (chunk: Buffer) => {
    const wasAsked = shown.includes('[y/N]')
    shown += chunk.toString()
    if (!wasAsked && shown.includes('[y/N]')) setImmediate(() => stdin.end(typed))
  })
  const io = {
    stdin,
    stdout,
    stderr: new PassThrough(),
  } as unknown as Io
  const environment = readEnvironment({ PARLEY_HOME: home, TERM: 'dumb' })
  return { host: { io, environment }, said: () => shown.replace(/\s+/g, ' ') }
}

const call = { json: false, options: {} }

test('[S13] `trust` shows exactly what the files ask for, and trusts these bytes after a yes', async () => {
  await using at = await newProject()
  const { host, said } = terminal(at.home, 'yes\n')
  expect(await trustProject({ ...call, ...host, positionals: [at.folder] })).toBe(0)
  const shown = said()
  for (const part of [
    at.file,
    '- provider "theirs" (openai) at https://theirs.example.org/v1, with the key in OPENAI_API_KEY',
    '- fs_scope = "project" instead of your "sandboxed"',
    '- allowed_commands = ["npm test"]',
  ]) {
    expect(shown).toContain(part)
  }
  expect(shown).not.toContain('max_turns')
  expect((await stat(join(at.home, 'trust.json'))).mode & 0o777).toBe(0o600)
  const { stdout, stderr } = await parley(['config', '--json'], at)
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toMatchObject({
    chat: { fs_scope: { value: 'project', source: at.file } },
    ignored: [],
  })
})

test.each(['no\n', '\n', ''])('[S13] the answer %j trusts nothing', async (typed) => {
  await using at = await newProject()
  const { host, said } = terminal(at.home, typed)
  expect(await trustProject({ ...call, ...host, positionals: [at.folder] })).toBe(4)
  expect(said()).toContain('Nothing was trusted.')
  await expect(stat(join(at.home, 'trust.json'))).rejects.toMatchObject({ code: 'ENOENT' })
})

test('[S13] without a terminal nothing is trusted, and one line names the ignored settings', async () => {
  await using at = await newProject()
  const refused = await parley(['trust'], { ...at, input: 'yes\n' })
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain('Nothing was trusted.')
  const { stdout, stderr } = await parley(['config'], at)
  expect(stdout).toMatch(/chat\.fs_scope +sandboxed +default/)
  expect(stdout).toMatch(/chat\.max_turns +5 +.*project\.toml/)
  expect(stderr.trim().split('\n')).toEqual([
    'parley: .parley/project.toml asks for more than your own config allows. Ignored: providers.theirs, chat.fs_scope, chat.allowed_commands; your own settings apply. Review it: parley trust',
  ])
})

test('[S13] a file that changed by one byte needs trust again; trusted files can be listed and revoked', async () => {
  await using at = await newProject()
  expect((await parley(['trust', '--yes'], at)).code).toBe(0)
  expect((await parley(['trust'], at)).stdout).toContain(`Already trusted: ${at.file}`)
  expect((await parley(['trust', '--list'], at)).stdout).toMatch(/unchanged +.*project\.toml/)
  await appendFile(at.file, '\n')
  expect((await parley(['trust', '--list'], at)).stdout).toMatch(/changed +.*project\.toml/)
  expect((await parley(['trust'], at)).code).toBe(2)
  expect((await parley(['config'], at)).stderr).toContain('Ignored: ')
  const revoked = await parley(['trust', '--revoke', '.', '--json'], at)
  expect(JSON.parse(revoked.stdout)).toEqual({ revoked: [at.file] })
  expect((await parley(['trust', '--list'], at)).stdout).toBe('No files are trusted.\n')
  expect(await parley(['trust', '--revoke', '.'], at)).toMatchObject({ code: 2 })
})

test('[S13] `trust` shows what an agent of a project asks for, and can trust a single file', async () => {
  await using at = await newProject()
  const agent = join(at.folder, '.parley', 'agents', 'wide.agent.yaml')
  await writeFile(agent, 'id: wide\nprovider: offline\nmodel: offline\ntools: [read_file, run_command]\n')
  const { stdout } = await parley(['trust', agent, '--yes', '--json'], at)
  expect(JSON.parse(stdout)).toMatchObject({ trusted: [{ file: agent, asks: ['tool run_command'] }] })
  expect((await parley(['agents', 'show', 'wide'], at)).stdout).toContain('run_command')
  expect((await parley(['config'], at)).stderr).toContain('Ignored: ')
})

test('[S13] a project that asks for no more than the user allows needs no trust', async () => {
  await using at = await newProject('project', '[chat]\nmax_turns = 5\n')
  const { code, stdout } = await parley(['trust'], at)
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: 'Nothing here asks for more than your own config allows.\n',
  })
  expect(await parley(['trust', 'nowhere'], at)).toMatchObject({ code: 2 })
})

test('[S13] files that several processes trust at the same time are all saved', async () => {
  await using at = await createHome()
  const folders = ['a', 'b', 'c', 'd'].map((name) => join(at.home, name))
  for (const folder of folders) {
    await mkdir(join(folder, '.parley'), { recursive: true })
    await writeFile(join(folder, '.parley', 'project.toml'), WIDE)
  }
  const ended = await Promise.all(
    folders.map((folder) => parley(['trust', '--yes'], { home: at.home, folder })),
  )
  expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0])
  const { files } = JSON.parse(await readFile(join(at.home, 'trust.json'), 'utf8')) as {
    files: { path: string }[]
  }
  expect(files).toHaveLength(4)
})

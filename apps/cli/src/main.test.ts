import { expect, test } from 'vitest'
import { createHome, parley, startParley, readText } from './testing/parley-process.ts'

test('help lists the commands', async () => {
  await using at = await createHome()
  for (const args of [[], ['--help'], ['-h']]) {
    const { code, stdout, stderr } = await parley(args, at)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^ {2}chat .*chat with an agent or a reflection$/m)
    expect(stdout).toMatch(/^Exit codes:\n( {2}[0-4] {2}\S.*\n){5}$/m)
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  }
  expect((await parley(['chat', '--help'], at)).stdout).toContain('--agent <file|id>')
})

const TELL_LOADS =
  'data:text/javascript,import{registerHooks}from"node:module";' +
  'registerHooks({load(url,context,next){process.stderr.write(url+"\\n");return next(url,context)}})'

test('help loads neither the engine nor SQLite nor zod', async () => {
  await using at = await createHome()
  const listLoadedFiles = async (...args: readonly string[]) =>
    (await parley(args, { ...at, nodeOptions: ['--import', TELL_LOADS] })).stderr
  const heavy = /\/(zod|engine|history|contracts|llm|yaml)\/|sqlite/
  expect(await listLoadedFiles('--help')).toMatch(/\/main\.ts$/m)
  expect(await listLoadedFiles('--help')).not.toMatch(heavy)
  expect(await listLoadedFiles('sessions')).toMatch(heavy)
})

test('an offline chat loads no vendor library', async () => {
  await using at = await createHome()
  const { code, stderr } = await parley(['chat', '--message', 'Hello'], {
    ...at,
    nodeOptions: ['--import', TELL_LOADS],
    environment: { ANTHROPIC_API_KEY: 'made-up' },
  })
  expect(code).toBe(0)
  expect(stderr).toContain('/llm/src/providers.ts')
  expect(stderr).not.toContain('ai-sdk')
})

test('the version names Parley and Node', async () => {
  await using at = await createHome()
  expect(await parley(['--version'], at)).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^parley \d+\.\d+\.\d+ \(Node \d+\.\d+\.\d+\)\n$/),
    stderr: '',
  })
  const { stdout } = await parley(['--version', '--json'], at)
  expect(JSON.parse(stdout)).toEqual({ version: expect.any(String), node: process.versions.node })
})

test('a timer of a library does not delay the exit', async () => {
  await using at = await createHome()
  const left = 'data:text/javascript,setInterval(() => {}, 1000)'
  const { code, stdout } = await parley(['--version'], { ...at, nodeOptions: ['--import', left] })
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^parley \d/) })
})

test('an old Node prints how to get a new one', async () => {
  await using at = await createHome()
  const older =
    'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"22.17.1"}})'
  const { code, stderr } = await parley(['--version'], { ...at, nodeOptions: ['--import', older] })
  expect(code).toBe(2)
  expect(stderr).toMatch(/^parley: Parley needs Node 22\.18 or later; this is Node 22\.17\.1\.\n.*npx parley/)
})

test.each([
  ['an unknown command', ['chatt'], "unknown command 'chatt'. Did you mean chat?"],
  ['an unknown option', ['chat', '--mesage', 'x'], "unknown option '--mesage'. Did you mean --message?"],
  ['a missing argument', ['sessions', 'show'], "missing required argument 'id'"],
  ['an option without its value', ['chat', '--message'], "option '-m, --message <text>' argument missing"],
  [
    'an extra argument',
    ['doctor', 'now'],
    "too many arguments for 'doctor'. Expected 0 arguments but got 1: now.",
  ],
  [
    'an unknown subcommand',
    ['keys', 'zork'],
    "`parley keys` has no subcommand 'zork'. Its subcommands: set, list, remove, rotate, back-up, restore.",
  ],
  [
    'an unknown subcommand with arguments',
    ['config', 'shcema', 'x'],
    "`parley config` has no subcommand 'shcema'. Did you mean schema?",
  ],
  [
    'a bad number',
    ['sessions', '--limit', '0'],
    'The option --limit must be a whole number from 1 to 10000.',
  ],
])('%s is bad input', async (_, args, message) => {
  await using at = await createHome()
  const told = await parley(args, at)
  expect(told).toMatchObject({ code: 2, stdout: '' })
  expect(told.stderr).toContain(`parley: ${message}\n`)
  const asJson = await parley(['--json', ...args], at)
  expect(asJson.code).toBe(2)
  expect(JSON.parse(asJson.stdout)).toEqual({ error: { code: 'validation', message } })
})

test.each([
  ['PARLEY_HOME', 'relative/path'],
  ['PARLEY_PORT', '99999'],
  ['PARLEY_PUBLIC_URL', 'parley.example.org'],
  ['PARLEY_DEBUG', 'yes'],
  ['DATABASE_URL', 'mysql://x'],
])('an invalid %s is reported by name', async (variable, value) => {
  await using at = await createHome()
  const { code, stdout } = await parley(['sessions', '--json'], { ...at, environment: { [variable]: value } })
  expect(code).toBe(2)
  expect(JSON.parse(stdout)).toMatchObject({
    error: { code: 'config_invalid', message: expect.stringContaining(`variable ${variable} must be`) },
  })
})

test('a stack is printed only with PARLEY_DEBUG', async () => {
  await using at = await createHome()
  const quiet = await parley(['sessions', 'show', 'zzz'], at)
  expect(quiet.stderr).not.toMatch(/^\s+at /m)
  const loud = await parley(['sessions', 'show', 'zzz'], { ...at, environment: { PARLEY_DEBUG: '1' } })
  expect(loud.stderr).toMatch(/^\s+at /m)
})

test('a closed pipe is not a failure', async () => {
  await using at = await createHome()
  const child = startParley(['--help'], at)
  child.stdout.destroy()
  child.stdin.end()
  const [stderr, code] = await Promise.all([
    readText(child.stderr),
    new Promise((resolve) => child.on('close', resolve)),
  ])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

test('a message may look like an option', async () => {
  await using at = await createHome()
  const { code, stdout } = await parley(['chat', '--message', '--json'], at)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Noted/)
})

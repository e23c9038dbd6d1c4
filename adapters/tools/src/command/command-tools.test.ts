import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ToolCallPlan, ToolCallRefusal, RawToolResult } from '@parley/engine'
import type { ToolPolicy } from '../tool-policy.ts'
import { createCommandTools, findHiddenCharacter, findLookAlike, splitCommand } from './command-tools.ts'
import { freshFolder, planWith, createPolicy, writeScript, createToolSession } from './command.fixture.ts'

interface Given {
  readonly folder?: string
  readonly exact?: readonly string[]
  readonly globs?: readonly string[]
  readonly policy?: Partial<ToolPolicy>
  readonly environment?: Readonly<Record<string, string>>
}

async function plan(
  command: string,
  given: Given,
  input: object = {},
): Promise<ToolCallPlan | ToolCallRefusal> {
  const policy = createPolicy({
    allowedCommands: given.exact ?? [],
    allowedCommandGlobs: given.globs ?? [],
    ...given.policy,
  })
  const session = createToolSession(given.folder ?? (await freshFolder()))
  const tools = createCommandTools({ session, policy, environment: given.environment ?? {} })
  return planWith(tools, 'run_command', { command, ...input })
}

async function run(command: string, given: Given = {}, input: object = {}): Promise<RawToolResult> {
  const planned = await plan(command, { exact: [command], ...given }, input)
  if (planned.kind === 'refused') throw new Error(planned.text)
  return planned.carryOut(new AbortController().signal)
}

test('[S13] there is no run_command tool if no command is allowed', async () => {
  const session = createToolSession(await freshFolder())
  expect(createCommandTools({ session, policy: createPolicy(), environment: {} })).toEqual([])
})

test('[S12] an allowed command runs in the working folder without asking', async () => {
  const folder = await freshFolder()
  const planned = await plan('pwd', { folder, exact: ['pwd'] })
  expect(planned).toMatchObject({ kind: 'plan', target: 'pwd', origin: 'the command pwd' })
  expect(planned).not.toHaveProperty('approval')
  expect(await run('pwd', { folder })).toEqual({ kind: 'ok', text: `exit code 0\n${folder}` })
})

test('[S13] a command allowed by a glob needs approval, with all details', async () => {
  const folder = await freshFolder()
  const planned = await plan('echo hello', { folder, globs: ['echo *'] })
  expect(planned).toMatchObject({ kind: 'plan', target: 'echo hello', approval: { forSession: {} } })
  const preview = planned.kind === 'plan' ? planned.approval?.preview?.text : ''
  expect(preview).toMatch(/^echo hello\n/)
  expect(preview).toContain(`Folder: ${folder}`)
  expect(preview).toContain('Variables: PATH, ')
})

test('[S13] a command allowed exactly and by a glob needs no approval', async () => {
  expect(await plan('echo a', { exact: ['echo a'], globs: ['echo *'] })).not.toHaveProperty('approval')
})

test('[S12] planning again gives the same question', async () => {
  const given = { folder: await freshFolder(), globs: ['echo *'] }
  const [one, two] = [await plan('echo a', given), await plan('echo a', given)]
  expect(one).toHaveProperty('approval')
  expect(JSON.stringify(one)).toBe(JSON.stringify(two))
})

test('[S12] a refusal names the allowed commands and where to allow more', async () => {
  const refused = await plan('rm x', { exact: ['npm test'], globs: ['npm run *'] })
  expect(refused).toMatchObject({ kind: 'refused', code: 'tool_denied', target: 'rm x' })
  expect(refused).toHaveProperty('text', expect.stringContaining('exactly as written: "npm test". Commands'))
  expect(refused).toHaveProperty('text', expect.stringContaining('Commands that match "npm run *"'))
  expect(refused).toHaveProperty('text', expect.stringContaining('allowed_commands in ~/.parley/config.toml'))
})

test.each([
  ['echo a; id', 'It would match "echo *", but contains ;, which a glob never matches.'],
  ['echo $HOME', 'It would match "echo *", but contains $, which a glob never matches.'],
  ['echo -n a', 'It would match "echo *", but contains "-n", and a glob never matches an option.'],
  ['rm x', 'It must match an allowed command exactly.'],
])('[S12] the refusal of %j gives the reason', async (command, reason) => {
  const refused = await plan(command, { exact: ['npm test'], globs: ['echo *'] })
  expect(refused).toHaveProperty('text', expect.stringContaining(reason))
})

test.each([
  ['appended arguments', 'true x'],
  ['a second command', 'true; id'],
  ['a second command after &&', 'true && id'],
  ['a new line', 'true\nid'],
  ['a carriage return', 'true\rid'],
  ['NUL', 'true\0id'],
  ['a variable before it', 'FOO=1 true'],
  ['a Cyrillic letter', 'tru\u0435'],
  ['a no-break space', 'true\u00A0'],
  ['other case', 'TRUE'],
  ['a space before it', ' true'],
  ['a space after it', 'true '],
  ['quotes', '"true"'],
  ['its path', '/bin/true'],
  ['a path from here', './true'],
  ['the other form of a character', 'caf\u0065\u0301'],
])('[S13] attack: %s is not the allowed command', async (_, command) => {
  expect(await plan(command, { exact: ['true', 'caf\u00E9'] })).toMatchObject({
    kind: 'refused',
    code: 'tool_denied',
  })
})

test.each([
  ['an option', 'echo -n'],
  ['an option in quotes', 'echo "-n"'],
  ['a look-alike', 'echo p\u0430ss'],
  ['hidden characters', 'echo a\u200Bb'],
])('[S13] attack: %s is not allowed by a glob', async (_, command) => {
  expect(await plan(command, { globs: ['echo *'] })).toMatchObject({ kind: 'refused', code: 'tool_denied' })
})

test('[S13] attack: a glob allows no program of the project by its path', async () => {
  const folder = await freshFolder()
  await writeScript(join(folder, 'planted'), 'echo planted')
  const refused = await plan('./planted x', { folder, globs: ['*'] })
  expect(refused).toMatchObject({ kind: 'refused', code: 'tool_denied' })
  expect(await plan('./planted x', { folder, globs: ['./planted *'] })).toMatchObject({ kind: 'plan' })
  expect(await run('./planted', { folder })).toMatchObject({ text: 'exit code 0\nplanted' })
})

test('[S13] attack: a program planted in the working folder is not run', async () => {
  const folder = await freshFolder()
  await mkdir(join(folder, 'bin'))
  await writeScript(join(folder, 'bin', 'true'), 'echo planted')
  await writeScript(join(folder, 'true'), 'echo planted')
  const environment = { PATH: `${join(folder, 'bin')}:.::${folder}` }
  expect(await run('true', { folder, environment })).toEqual({ kind: 'ok', text: 'exit code 0' })
})

test('[S13] attack: a command gets none of our own variables', async () => {
  const environment = {
    PATH: '/usr/bin',
    HOME: '/home/made-up',
    USER: 'ada',
    NODE_OPTIONS: '--require /tmp/made-up.js',
    LD_PRELOAD: '/tmp/made-up.so',
    ANTHROPIC_API_KEY: 'made-up-key',
    PARLEY_TOKEN: 'made-up-token',
    GIT_DIR: '/tmp/made-up',
    BASH_ENV: '/tmp/made-up',
  }
  process.env['PARLEY_MADE_UP_SECRET'] = 'made-up-secret'
  const { text } = await run('env', { environment })
  delete process.env['PARLEY_MADE_UP_SECRET']
  const names = text
    .split('\n')
    .slice(1)
    .map((line) => line.split('=')[0] ?? '')
  expect(names.toSorted()).toEqual(
    ['CI', 'HOME', 'LANG', 'LC_ALL', 'NO_COLOR', 'PARLEY_CALL', 'PATH', 'TERM', 'TMPDIR', 'USER'].toSorted(),
  )
  expect(text).not.toContain('made-up-')
})

test('[S13] there is no shell: patterns are plain arguments', async () => {
  expect(await run("echo '$HOME' * ~x")).toEqual({ kind: 'ok', text: 'exit code 0\n$HOME * ~x' })
})

test('[S13] an entry that needs a shell is refused', async () => {
  const refused = await plan('true && id', { exact: ['true && id'] })
  expect(refused).toHaveProperty('text', expect.stringContaining('needs a shell'))
})

test('a command with an error exit code is a failure with its output', async () => {
  const folder = await freshFolder()
  await writeScript(join(folder, 'fails'), 'echo one', 'echo two >&2', 'exit 3')
  const said = await run('./fails', { folder })
  expect(said).toMatchObject({
    kind: 'failed',
    code: 'tool_failed',
    text: expect.stringMatching(/^exit code 3\n/),
  })
  expect(said.text.split('\n').toSorted()).toEqual(['exit code 3', 'one', 'two'])
})

test('a command ended by a signal reports the signal', async () => {
  const folder = await freshFolder()
  await writeScript(join(folder, 'dies'), 'kill -KILL $$')
  expect(await run('./dies', { folder })).toEqual({
    kind: 'failed',
    code: 'tool_failed',
    text: 'ended by the signal SIGKILL',
  })
})

test('a command has an empty input', async () => {
  expect(await run('cat')).toEqual({ kind: 'ok', text: 'exit code 0' })
})

test('a command that takes too long is stopped and reported', async () => {
  const said = await run('sleep 600', {}, { timeout_seconds: 1 })
  expect(said).toMatchObject({ kind: 'failed', code: 'tool_failed' })
  expect(said.text).toContain('longer than 1 seconds; it and all its child processes were stopped')
})

test('a missing program is reported', async () => {
  const refused = await plan('no-such-program-here', { exact: ['no-such-program-here'] })
  expect(refused).toMatchObject({ kind: 'refused', code: 'tool_unavailable' })
})

test('a file that cannot be started is reported', async () => {
  const folder = await freshFolder()
  await writeScript(join(folder, 'gone'), 'exit 0')
  const planned = await plan('./gone', { folder, exact: ['./gone'] })
  if (planned.kind === 'refused') throw new Error(planned.text)
  await rm(join(folder, 'gone'))
  await expect(planned.carryOut(new AbortController().signal)).rejects.toThrow('./gone could not be started')
})

test('[S13] attack: nothing runs in a working folder outside a server’s root', async () => {
  const [root, outside] = [await freshFolder(), await freshFolder()]
  await symlink(outside, join(root, 'link'))
  const given = { exact: ['pwd'], policy: { root } }
  expect(await plan('pwd', { ...given, folder: outside })).toMatchObject({ kind: 'refused' })
  expect(await plan('pwd', { ...given, folder: join(root, 'link') })).toMatchObject({ kind: 'refused' })
  expect(await plan('pwd', { ...given, folder: root })).toMatchObject({ kind: 'plan' })
})

test('a working folder that is missing or a file is refused', async () => {
  const folder = await freshFolder()
  await writeFile(join(folder, 'file'), '')
  expect(await plan('pwd', { folder: join(folder, 'gone'), exact: ['pwd'] })).toMatchObject({
    kind: 'refused',
  })
  expect(await plan('pwd', { folder: join(folder, 'file'), exact: ['pwd'] })).toMatchObject({
    kind: 'refused',
  })
})

test.each([
  ['a new line', 'npm\ntest', 'U+000A'],
  ['a carriage return', 'npm test\r', 'U+000D'],
  ['NUL', 'npm test\0', 'U+0000'],
  ['a tab', 'npm\ttest', 'U+0009'],
  ['an escape', 'npm \u001B[2Ktest', 'U+001B'],
  ['a no-break space', 'npm\u00A0test', 'U+00A0'],
  ['an ideographic space', 'npm\u3000test', 'U+3000'],
  ['a zero-width space', 'npm\u200B test', 'U+200B'],
  ['a zero-width joiner', 'npm\u200D test', 'U+200D'],
  ['a byte order mark', '\uFEFFnpm test', 'U+FEFF'],
  ['a text turned around', 'npm \u202Etset', 'U+202E'],
  ['an isolate', 'npm \u2066test', 'U+2066'],
  ['a soft hyphen', 'npm te\u00ADst', 'U+00AD'],
  ['a variation selector', 'npm test\uFE0F', 'U+FE0F'],
  ['a Hangul filler', 'npm \u3164test', 'U+3164'],
  ['blank Braille', 'npm\u2800test', 'U+2800'],
  ['a line separator', 'npm\u2028test', 'U+2028'],
  ['half a character', 'npm \uD800test', 'U+D800'],
  ['a tag character', 'npm test\u{E0041}', 'U+E0041'],
])('[S13] attack: %s in a command is detected', (_, command, code) => {
  expect(findHiddenCharacter(command)).toContain(code)
})

test.each(['npm test', 'cat "Übung 1.txt"', 'cat 日本語.txt', 'echo 🙂'])(
  '%j has no hidden character',
  (command) => {
    expect(findHiddenCharacter(command)).toBeUndefined()
    expect(findLookAlike(command)).toBeUndefined()
  },
)

test.each([
  ['a Cyrillic a', 'npm run b\u0430r', 'b\u0430r'],
  ['a Greek o', 'cat n\u03BFtes', 'n\u03BFtes'],
  ['full-width letters', 'npm run \uFF42', '\uFF42'],
  ['a full-width semicolon', 'npm run a\uFF1B', 'a\uFF1B'],
  ['a small hyphen', 'npm run \uFE63x', '\uFE63x'],
])('[S13] attack: %s is recognised as a look-alike', (_, command, word) => {
  expect(findLookAlike(command)).toBe(word)
})

test.each<[string, string, string[]]>([
  ['npm', 'npm', []],
  ['npm test', 'npm', ['test']],
  ['  npm   test  ', 'npm', ['test']],
  ['cat "a b.txt"', 'cat', ['a b.txt']],
  ["cat 'a b.txt'", 'cat', ['a b.txt']],
  ['cat a" "b', 'cat', ['a b']],
  ['cat ""', 'cat', ['']],
  [`echo "it's"`, 'echo', ["it's"]],
  [`echo '$HOME "x" \\'`, 'echo', ['$HOME "x" \\']],
  ['eslint src/**/*.ts', 'eslint', ['src/**/*.ts']],
  ['env A=1 npm test', 'env', ['A=1', 'npm', 'test']],
])('%j is a program and its arguments', (command, program, rest) => {
  expect(splitCommand(command)).toEqual({ kind: 'words', program, rest })
})

test.each([
  ['npm test; rm x', '";"'],
  ['npm test && rm x', '"&"'],
  ['npm test | sh', '"|"'],
  ['npm test > x', '">"'],
  ['npm test < x', '"<"'],
  ['echo $HOME', '"$"'],
  ['echo "$HOME"', '"$"'],
  ['echo `id`', '"`"'],
  ['echo "`id`"', '"`"'],
  ['(npm test)', '"("'],
  [String.raw`echo a\ b`, String.raw`"\\"`],
  ['echo "a', 'not closed'],
  ["echo 'a", 'not closed'],
  ['FOO=1 npm test', 'variable (FOO=1)'],
  ['', 'no program'],
  ['   ', 'no program'],
  ['"" x', 'no program'],
  ['-x', 'not the name of a program'],
  ['~/bin/x', 'not the name of a program'],
])('[S13] %j is refused', (command, reason) => {
  expect(splitCommand(command)).toMatchObject({ kind: 'unclear', reason: expect.stringContaining(reason) })
})

test('words in single quotes are unchanged', () => {
  const word = fc.string({ unit: 'grapheme' }).filter((each) => !each.includes("'"))
  fc.assert(
    fc.property(fc.array(word), (words) => {
      const command = ['run', ...words.map((each) => `'${each}'`)].join(' ')
      expect(splitCommand(command)).toEqual({ kind: 'words', program: 'run', rest: words })
    }),
  )
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matchCommand } from './match-command.ts'

const kindOf = (command: string, given: { exact?: string[]; globs?: string[] }) =>
  matchCommand(command, { allowedCommands: given.exact ?? [], allowedCommandGlobs: given.globs ?? [] }).kind

test.each([
  ['npm test', 'exact'],
  ['npm test ', 'none'],
  [' npm test', 'none'],
  ['npm  test', 'none'],
  ['npm tes', 'none'],
  ['npm test --coverage', 'none'],
  ['NPM test', 'none'],
  ['npm "test"', 'none'],
  ['', 'none'],
])('[S13] the entry "npm test" and the command %j: %s', (command, kind) => {
  expect(kindOf(command, { exact: ['npm test'] })).toBe(kind)
})

test.each([
  ['npm run *', 'npm run build', 'glob'],
  ['npm run *', 'npm run ', 'glob'],
  ['npm run *', 'npm run build now', 'glob'],
  ['npm run *', 'npm test', 'none'],
  ['npm run *', 'xnpm run build', 'none'],
  ['npm run * now', 'npm run build now', 'glob'],
  ['npm run * now', 'npm run build later', 'none'],
  ['npm run *:unit', 'npm run a:unit:unit', 'glob'],
  ['npm run a-*', 'npm run a-b', 'glob'],
  ['npm run *', 'npm run a-b', 'glob'],
  ['npm run -*', 'npm run -x', 'glob'],
  ['ls *.ts', 'ls src/a.ts', 'glob'],
  ['ls [ab]', 'ls a', 'none'],
  ['ls ?', 'ls a', 'none'],
  ['ls .', 'ls x', 'none'],
  ['*', 'anything at all', 'glob'],
])('[S13] the glob %j and the command %j: %s', (glob, command, kind) => {
  expect(kindOf(command, { globs: [glob] })).toBe(kind)
})

test.each([
  ['an option', 'npm run -x'],
  ['a long option', 'npm run --prefix=/tmp'],
  ['an option behind a word', 'npm run build --script-shell=sh'],
  ['a second command', 'npm run build; rm x'],
  ['a second command after &&', 'npm run build && rm x'],
  ['a pipe', 'npm run build | sh'],
  ['a redirection', 'npm run build > /etc/passwd'],
  ['a substitution', 'npm run $(id)'],
  ['backticks', 'npm run `id`'],
  ['a variable', 'npm run $HOME'],
  ['quotes', 'npm run "-x"'],
  ['single quotes', "npm run '-x'"],
  ['a backslash', String.raw`npm run \-x`],
  ['braces', 'npm run {-x,y}'],
  ['a new line', 'npm run build\nrm x'],
  ['a carriage return', 'npm run build\rrm x'],
  ['a tab before an option', 'npm run a\t-x'],
  ['NUL', 'npm run a\0b'],
])('[S13] attack: no glob matches %s', (_, command) => {
  expect(kindOf(command, { globs: ['npm run *'] })).toBe('none')
})

test.each(['run**', 'run* *', '*run*', 'run *x*'])('[S13] attack: the glob %j matches no option', (glob) => {
  expect(kindOf('run x -o', { globs: [glob] })).toBe('none')
  expect(kindOf('run -ox', { globs: [glob] })).toBe('none')
})

const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '-', '*', ';'), maxLength: 12 })

test('[S13] a glob matches like a simple search through all ways to fill its stars', () => {
  fc.assert(
    fc.property(text, text, (glob, command) => {
      expect(kindOf(command, { globs: [glob] })).toBe(obviously(command, glob) ? 'glob' : 'none')
    }),
    { numRuns: 2_000 },
  )
})

function obviously(command: string, glob: string): boolean {
  if (glob === '') return command === ''
  if (glob[0] !== '*') return command[0] === glob[0] && obviously(command.slice(1), glob.slice(1))
  for (let length = 0; length <= command.length; length += 1) {
    const filled = command.slice(0, length)
    const isPlain = !filled.startsWith('-') && !filled.includes(' -') && !filled.includes(';')
    if (isPlain && obviously(command.slice(length), glob.slice(1))) return true
  }
  return false
}

test('a glob with many stars takes linear time', () => {
  expect(kindOf('a'.repeat(4_000), { globs: [`${'*a'.repeat(200)}b`] })).toBe('none')
})

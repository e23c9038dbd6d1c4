import { expect, test } from 'vitest'
import { CASES } from './cases/table.ts'
import { readOptions } from './options.ts'

test('the default is all cases on all stores, in seven rounds', () => {
  const options = { cases: CASES, stores: ['history', 'postgres'], rounds: 7, json: false }
  expect(readOptions([])).toEqual({ kind: 'run', options })
})

test('selected cases and stores keep the order of the table', () => {
  const wish = readOptions(['--case', 'tools,turn', '--store', 'postgres', '--rounds', '7', '--json'])
  if (wish.kind !== 'run') throw new Error(wish.kind)
  const { cases, ...rest } = wish.options
  expect(cases.map(({ name }) => name)).toEqual(['turn', 'tools'])
  expect(rest).toEqual({ stores: ['postgres'], rounds: 7, json: true })
})

test.each<[string, string[], string]>([
  ['an unknown option', ['--fast'], "Unknown option '--fast'"],
  ['an unknown case', ['--case', 'turn,trun'], 'Unknown case "trun". Cases: turn, delta,'],
  ['an unknown store', ['--store', 'memory'], 'Unknown store "memory". Stores: history, postgres.'],
  ['an invalid number of rounds', ['--rounds', '0'], '--rounds must be a number from 1 to 9999, not "0".'],
  ['an unexpected argument', ['turn'], "Unexpected argument 'turn'"],
])('%s is refused with an explanation', (_, args, sentence) => {
  const message = expect.stringMatching(/^bench: [^\n]+ Run `npm run bench -- --help` for the options\.$/)
  const wish = readOptions(args)
  expect(wish).toEqual({ kind: 'wrong', message })
  expect(wish).toMatchObject({ message: expect.stringContaining(sentence) })
})

test('the help lists every case', () => {
  const wish = readOptions(['--help'])
  for (const { name } of CASES) expect(wish).toMatchObject({ text: expect.stringContaining(`\n  ${name} `) })
})

import { expect, test } from 'vitest'
import { CASES } from './cases/table.ts'
import { readOptions } from './options.ts'

test('without options everything is measured, in seven rounds', () => {
  const options = { cases: CASES, stores: ['history', 'postgres'], rounds: 7, json: false }
  expect(readOptions([])).toEqual({ kind: 'run', options })
})

test('cases and stores can be chosen; they keep their order', () => {
  const wish = readOptions(['--case', 'tools,turn', '--store', 'postgres', '--rounds', '7', '--json'])
  if (wish.kind !== 'run') throw new Error(wish.kind)
  const { cases, ...rest } = wish.options
  expect(cases.map(({ name }) => name)).toEqual(['turn', 'tools'])
  expect(rest).toEqual({ stores: ['postgres'], rounds: 7, json: true })
})

test.each<[string, string[], string]>([
  ['an unknown option', ['--fast'], "Unknown option '--fast'"],
  ['an unknown case', ['--case', 'turn,trun'], 'There is no case "trun"; there is turn, delta,'],
  ['an unknown store', ['--store', 'memory'], 'There is no store "memory"; there is history, postgres.'],
  ['no number of rounds', ['--rounds', '0'], '--rounds is a number from 1 to 9999, not "0".'],
  ['a word too many', ['turn'], "Unexpected argument 'turn'"],
])('%s is refused in a sentence', (_, args, sentence) => {
  const message = expect.stringMatching(/^bench: [^\n]+ `npm run bench -- --help` tells what there is\.$/)
  const wish = readOptions(args)
  expect(wish).toEqual({ kind: 'wrong', message })
  expect(wish).toMatchObject({ message: expect.stringContaining(sentence) })
})

test('the help names every case', () => {
  const wish = readOptions(['--help'])
  for (const { name } of CASES) expect(wish).toMatchObject({ text: expect.stringContaining(`\n  ${name} `) })
})

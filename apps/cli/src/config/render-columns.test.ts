import { expect, test } from 'vitest'
import { createStyle } from '../render/style.ts'
import { renderColumns } from './render-columns.ts'

const HEAD = ['NAME', 'ADDRESS', 'FROM']
const ROWS = [
  ['local', 'http://127.0.0.1:11434/v1', '/home/ada/.parley/config.toml'],
  ['offline', 'this machine', 'built in'],
]
const linesIn = (columns?: number) =>
  renderColumns(HEAD, ROWS, createStyle(false), columns ? { columns, yielding: [2, 1] } : undefined).split(
    '\n',
  )

test('columns are as wide as what they hold', () => {
  expect(linesIn()[1]).toBe('local    http://127.0.0.1:11434/v1  /home/ada/.parley/config.toml')
  expect(linesIn(80)).toEqual(linesIn())
})

test.each([60, 40, 30])('in %d columns all of it can stand there, in more lines', (columns) => {
  const room = { columns, yielding: [1, 2], wraps: true as const }
  const lines = renderColumns(HEAD, ROWS, createStyle(false), room).split('\n')
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns)
  const places = ['NAME', 'ADDRESS', 'FROM'].map((name) => lines[0]?.indexOf(name) ?? 0)
  const last = lines.findIndex((line) => line.startsWith('offline'))
  const column = (from = 0, to?: number) =>
    lines
      .slice(1, last)
      .map((line) => line.slice(from, to).trim())
      .join('')
  expect(column(places[1], places[2])).toBe('http://127.0.0.1:11434/v1')
  expect(column(places[2])).toBe('/home/ada/.parley/config.toml')
})

test.each([
  [55, 'local    http://127.0.0.1:11434/v1  /home/ada…nfig.toml'],
  [35, 'local    http://…11434/v1  /ho…toml'],
])('in %d columns those that give way lose their middle', (columns, expected) => {
  expect(linesIn(columns)[1]).toBe(expected)
  for (const line of linesIn(columns)) expect(line.length).toBeLessThanOrEqual(columns)
})

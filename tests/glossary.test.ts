import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')

const rows = read('docs/glossary.md')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(2)
  .map((line) => line.split('|').map((cell) => cell.trim()))
const column = (index: number) => rows.map((cells) => cells[index] ?? '')
const inCodeFont = (index: number) =>
  column(index).flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))

const code = globSync('{core,adapters,apps}/*/{src,migrations}/**/*.{ts,tsx,sql}', { cwd: root })
  .filter((file) => !/\.test\.tsx?$/.test(file))
  .map(read)
  .join('\n')
const find = (pattern: RegExp) => new Set([...code.matchAll(pattern)].map(([, name = '']) => name))
const types = find(/^export (?:type|interface|class|const) ([A-Z]\w*)/gm)
const functions = find(/^export (?:async )?function (\w+)/gm)
const tables = find(/^create table (?:\w+\.)?(\w+)/gm)
const literals = find(/'([\w.:-]+)'/g)
const isFolder = (name: string) => name.includes('/') && existsSync(join(root, name))
const isKnown = (name: string) =>
  /^[A-Z]/.test(name)
    ? types.has(name)
    : functions.has(name) || tables.has(name) || literals.has(name) || isFolder(name)

test('each word has one row, in alphabetical order', () => {
  const words = column(1)
  expect(words.length).toBeGreaterThan(50)
  expect(words).toEqual([...new Set(words)].toSorted((a, b) => a.localeCompare(b, 'en')))
})

test('each name in a meaning is an exported type or function, a table, a literal or a folder', () => {
  const names = inCodeFont(2)
  expect(names.length).toBeGreaterThan(50)
  expect(names.filter((name) => !isKnown(name))).toEqual([])
})

test('no exported type has a word in its name that the glossary avoids', () => {
  const avoided = inCodeFont(3).map((word) => new RegExp(`${word}s?(?![a-z])`))
  expect(avoided.length).toBeGreaterThan(10)
  expect([...types].filter((type) => avoided.some((word) => word.test(type)))).toEqual([])
})

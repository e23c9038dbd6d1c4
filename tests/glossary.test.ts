import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const readText = (file: string) => readFileSync(join(root, file), 'utf8')

const rows = readText('docs/glossary.md')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(2)
  .map((line) => line.split('|').map((cell) => cell.trim()))
const getColumn = (index: number) => rows.map((cells) => cells[index] ?? '')
const findCodeNames = (index: number) =>
  getColumn(index).flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))

const code = globSync('{core,adapters,apps}/*/{src,migrations}/**/*.{ts,tsx,sql}', { cwd: root })
  .filter((file) => !/\.test\.tsx?$/.test(file))
  .map(readText)
  .join('\n')
const findNames = (pattern: RegExp) => new Set([...code.matchAll(pattern)].map(([, name = '']) => name))
const types = findNames(/^export (?:type|interface|class|const) ([A-Z]\w*)/gm)
const functions = findNames(/^export (?:async )?function (\w+)/gm)
const tables = findNames(/^create table (?:\w+\.)?(\w+)/gm)
const literals = findNames(/'([\w.:-]+)'/g)
const isFolder = (name: string) => name.includes('/') && existsSync(join(root, name))
const isKnown = (name: string) =>
  /^[A-Z]/.test(name)
    ? types.has(name)
    : functions.has(name) || tables.has(name) || literals.has(name) || isFolder(name)

test('each word has one row, in alphabetical order', () => {
  const words = getColumn(1)
  expect(words.length).toBeGreaterThan(50)
  expect(words).toEqual([...new Set(words)].toSorted((a, b) => a.localeCompare(b, 'en')))
})

test('each name in a meaning is an exported type or function, a table, a literal or a folder', () => {
  const names = findCodeNames(2)
  expect(names.length).toBeGreaterThan(50)
  expect(names.filter((name) => !isKnown(name))).toEqual([])
})

test('no exported type has a word in its name that the glossary avoids', () => {
  const avoided = findCodeNames(3).map((word) => new RegExp(`${word}s?(?![a-z])`))
  expect(avoided.length).toBeGreaterThan(10)
  expect([...types].filter((type) => avoided.some((word) => word.test(type)))).toEqual([])
})

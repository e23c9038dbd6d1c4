import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type Import, MAY_IMPORT, violationOf } from './who-may-import-whom.ts'

/** The folders that hold a package each. */
const PACKAGES = ['{core,adapters,apps}/*', 'bench']
const root = fileURLToPath(new URL('..', import.meta.url))
const sources = globSync(
  PACKAGES.map((folder) => `${folder}/src/**/*.{ts,tsx}`),
  { cwd: root },
)
const isTestCode = (file: string) => /\.(test|conformance|fixture)\.tsx?$|\/testing\//.test(file)

test('every package is in the table of who may import whom', () => {
  const packages = globSync(
    PACKAGES.map((folder) => `${folder}/package.json`),
    { cwd: root },
  ).map((path) => path.replace('/package.json', ''))
  expect(packages.toSorted()).toEqual(Object.keys(MAY_IMPORT).toSorted())
})

test('nobody imports what the table does not allow', () => {
  const imports = sources.filter((file) => !isTestCode(file)).flatMap(importsOf)
  expect(imports.length).toBeGreaterThan(100)
  expect(imports.flatMap((one) => violationOf(one) ?? [])).toEqual([])
})

test.each<[string, Import]>([
  ['the core reaches for Node', { file: 'core/engine/src/turn/turn.ts', specifier: 'node:fs' }],
  ['the core reaches for an adapter', { file: 'core/engine/src/turn/turn.ts', specifier: '@parley/llm' }],
  ['contracts know the engine', { file: 'core/contracts/src/ids.ts', specifier: '@parley/engine' }],
  ['an adapter imports another', { file: 'adapters/llm/src/index.ts', specifier: '@parley/history' }],
  ['an adapter imports an app', { file: 'adapters/llm/src/index.ts', specifier: '@parley/api' }],
  ['a vendor library outside its adapter', { file: 'apps/api/src/compose.ts', specifier: 'pg' }],
  [
    'past a package’s entry',
    { file: 'apps/api/src/compose.ts', specifier: '@parley/engine/src/turn/turn.ts' },
  ],
  [
    'the bench reaches for an app that it does not measure',
    { file: 'bench/src/main.ts', specifier: '@parley/worker' },
  ],
  ['out of the bench by a path', { file: 'bench/src/main.ts', specifier: '../../apps/cli/src/main.ts' }],
  ['out of the package by a path', { file: 'apps/api/src/app.ts', specifier: '../../cli/src/main.ts' }],
  ['a package that is not in the table', { file: 'core/elsewhere/src/index.ts', specifier: 'zod' }],
])('a planted violation is found: %s', (_, planted) => {
  expect(violationOf(planted)).toContain(planted.file)
})

/** As the formatter writes them, types too. */
const IMPORT = /(?:^(?:import|export) [^'"]*?from |^import |\bimport\(\s*)['"]([^'"]+)['"]/gm

function importsOf(file: string): readonly Import[] {
  const source = readFileSync(`${root}/${file}`, 'utf8')
  return [...source.matchAll(IMPORT)].map(([, specifier = '']) => ({ file, specifier }))
}

import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { ALLOWED_IMPORTS, type Import, findImportViolation } from './who-may-import-whom.ts'

/** The folders that hold a package each. */
const PACKAGES = ['{core,adapters,apps}/*', 'bench']
const root = fileURLToPath(new URL('..', import.meta.url))
const sources = globSync(
  PACKAGES.map((folder) => `${folder}/src/**/*.{ts,tsx}`),
  { cwd: root },
)
const isTestCode = (file: string) => /\.(test|conformance|fixture)\.tsx?$|\/testing\//.test(file)

test('every package is in the import table', () => {
  const packages = globSync(
    PACKAGES.map((folder) => `${folder}/package.json`),
    { cwd: root },
  ).map((path) => path.replace('/package.json', ''))
  expect(packages.toSorted()).toEqual(Object.keys(ALLOWED_IMPORTS).toSorted())
})

test('every import is allowed by the table', () => {
  const imports = sources.filter((file) => !isTestCode(file)).flatMap(findImports)
  expect(imports.length).toBeGreaterThan(100)
  expect(imports.flatMap((found) => findImportViolation(found) ?? [])).toEqual([])
})

test.each<[string, Import]>([
  ['Node in the core', { file: 'core/engine/src/turn/turn.ts', specifier: 'node:fs' }],
  ['an adapter in the core', { file: 'core/engine/src/turn/turn.ts', specifier: '@parley/llm' }],
  ['the engine in the contracts', { file: 'core/contracts/src/ids.ts', specifier: '@parley/engine' }],
  ['another adapter in an adapter', { file: 'adapters/llm/src/index.ts', specifier: '@parley/history' }],
  ['an app in an adapter', { file: 'adapters/llm/src/index.ts', specifier: '@parley/api' }],
  ['a vendor library outside its adapter', { file: 'apps/api/src/compose.ts', specifier: 'pg' }],
  [
    'a file behind a package’s entry',
    { file: 'apps/api/src/compose.ts', specifier: '@parley/engine/src/turn/turn.ts' },
  ],
  ['an app that the bench does not measure', { file: 'bench/src/main.ts', specifier: '@parley/worker' }],
  ['a path out of the bench', { file: 'bench/src/main.ts', specifier: '../../apps/cli/src/main.ts' }],
  ['a path out of a package', { file: 'apps/api/src/app.ts', specifier: '../../cli/src/main.ts' }],
  ['a package without a row', { file: 'core/elsewhere/src/index.ts', specifier: 'zod' }],
])('a forbidden import is found: %s', (_, forbidden) => {
  expect(findImportViolation(forbidden)).toContain(forbidden.file)
})

/** Matches imports in the formatter's style, type imports included. */
const IMPORT = /(?:^(?:import|export) [^'"]*?from |^import |\bimport\(\s*)['"]([^'"]+)['"]/gm

function findImports(file: string): readonly Import[] {
  const source = readFileSync(`${root}/${file}`, 'utf8')
  return [...source.matchAll(IMPORT)].map(([, specifier = '']) => ({ file, specifier }))
}

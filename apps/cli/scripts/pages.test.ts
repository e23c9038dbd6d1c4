import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { VARIABLES } from '../src/environment.ts'
import { renderPages } from './pages.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

test.each(Object.entries(renderPages()))('[S1] %s matches the tables and schemas', (path, page) => {
  expect(readFileSync(root + path, 'utf8'), `${path} is out of date: run npm run docs`).toBe(page)
})

test('docs/configuration.md has a meaning for every key and variable', () => {
  expect(renderPages()['docs/configuration.md']).not.toMatch(/\| \.? ?\||undefined/)
})

test('every environment variable that the code names is documented', () => {
  const sources = globSync('apps/cli/src/**/*.ts', { cwd: root })
    .filter((file) => !/\.test\.ts$|\/testing\//.test(file))
    .map((file) => readFileSync(root + file, 'utf8'))
  const named = sources.flatMap(
    (source) => source.match(/(?<=')(PARLEY|ELEVENLABS|SENTRY)_[A-Z_]+(?=')/g) ?? [],
  )
  const documented = Object.values(VARIABLES).flatMap((variables) => Object.keys(variables))
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((name) => !documented.includes(name))).toEqual([])
})

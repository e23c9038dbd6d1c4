import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'

let folder = ''
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-console-'))
  const root = fileURLToPath(new URL('..', import.meta.url))
  await build({ root, logLevel: 'error', build: { outDir: folder, emptyOutDir: true } })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the page has nothing inline, so that its policy need not allow it', () => {
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
  expect(page).toMatch(/<script [^>]*src="\/assets\/[^"]+-[\w-]{8}\.js"><\/script>/)
  expect(page).toMatch(/<link rel="stylesheet" [^>]*href="\/assets\/[^"]+-[\w-]{8}\.css">/)
  expect(page.match(/<script/g)).toHaveLength(1)
  expect(page).not.toMatch(/<style|style=|\son\w+=/)
})

const namesOf = () => readdirSync(join(folder, 'assets'))
const textOf = (name: string) => readFileSync(join(folder, 'assets', name), 'utf8')

test('the pages of reflections are a part of their own, which the first page does not load', () => {
  const names = namesOf()
  expect(names.map((name) => name.replace(/-[\w-]{8}\./, '.')).toSorted()).toEqual([
    'index.css',
    'index.js',
    'pages.js',
  ])
  expect(readFileSync(join(folder, 'index.html'), 'utf8')).not.toContain('pages-')
})

test('neither script nor style holds a file as text', () => {
  const assets = namesOf().map(textOf)
  expect(assets.filter((asset) => /url\(["']?data:/.test(asset))).toEqual([])
})

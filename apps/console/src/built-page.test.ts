import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ENDPOINTS } from '@parley/contracts'

let folder = ''
beforeAll(async () => {
  // As shipped: without React's development warnings.
  vi.stubEnv('NODE_ENV', 'production')
  folder = mkdtempSync(join(tmpdir(), 'parley-console-'))
  const root = fileURLToPath(new URL('..', import.meta.url))
  await build({ root, logLevel: 'error', build: { outDir: folder, emptyOutDir: true } })
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  vi.unstubAllEnvs()
})

test('the page has no inline script or style, so its policy can forbid them', () => {
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
  expect(page).toMatch(/<script [^>]*src="\/assets\/[^"]+-[\w-]{8}\.js"><\/script>/)
  expect(page).toMatch(/<link rel="stylesheet" [^>]*href="\/assets\/[^"]+-[\w-]{8}\.css">/)
  expect(page.match(/<script/g)).toHaveLength(1)
  expect(page).not.toMatch(/<style|style=|\son\w+=/)
})

const listAssets = () => readdirSync(join(folder, 'assets'))
const readAsset = (name: string) => readFileSync(join(folder, 'assets', name), 'utf8')

test.each([
  ['the pages of reflections', 'No reflections yet'],
  ['the sessions page', 'Start the first'],
  ['the approvals page', 'Nothing is waiting for you'],
  ['the health page', 'Loading status'],
  ['the runtime pages of a reflection', 'Verified in your browser, not on the server'],
])('code of %s loads when opened, not with the first page', (_, words) => {
  const holding = listAssets().filter((name) => name.endsWith('.js') && readAsset(name).includes(words))
  expect(holding).toHaveLength(1)
  expect(listInitialScripts().filter((name) => holding.includes(name))).toEqual([])
})

/** The scripts that the page itself names. */
function listInitialScripts(): readonly string[] {
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
  return [...page.matchAll(/(?:src|href)="\/assets\/([^"]+\.js)"/g)].map(([, name = '']) => name)
}

/** These chunks with everything they import. */
function collectScripts(...wanted: readonly string[]): readonly string[] {
  const all = listAssets().filter((name) => name.endsWith('.js'))
  const taken = new Set(wanted.map((start) => all.find((name) => name.startsWith(`${start}-`)) ?? start))
  for (const name of taken) {
    const brought = readAsset(name).matchAll(/(?:from|import)\s?"\.\/([^"]+\.js)"/g)
    for (const [, next = ''] of brought) taken.add(next)
  }
  return [...taken]
}

/** `web` is the client of the voice provider. */
const VISITS = ['index', 'start-visit', 'web']
const TALKS = ['index', 'start-console', 'reflection-frame', 'member-talk-page', 'web']

test.each([
  ['a visitor', VISITS],
  ['a member', TALKS],
])('all scripts of the page where %s talks are under 250 kB compressed', (_, wanted) => {
  const sizes = collectScripts(...wanted).map((name) => gzipSync(readAsset(name)).length)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(250_000)
})

test('a visitor loads no console code', () => {
  const given = collectScripts(...VISITS)
    .map(readAsset)
    .join('')
  const holds = (words: string) => given.includes(words)
  expect(holds('This link does not work')).toBe(true)
  expect(['No reflections yet', 'Sign out', 'RTCPeerConnection'].filter(holds)).toEqual([])
})

test.each([
  ['the table of HTTP endpoints', ENDPOINTS.getHealth.summary],
  ['the schema of the config file', 'compact_threshold'],
])('no script holds %s, which no page uses', (_, words) => {
  expect(listAssets().filter((name) => readAsset(name).includes(words))).toEqual([])
})

test('no script or style embeds a file as a data URL', () => {
  const assets = listAssets().map(readAsset)
  expect(assets.filter((asset) => /url\(["']?data:/.test(asset))).toEqual([])
})

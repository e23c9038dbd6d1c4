import { type Stats, lstatSync, mkdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openScope } from './open-scope.ts'
import { followPath, isWithinFolder, toPrintablePath } from './paths.ts'
import { freshFolder } from './testing/file-fixture.ts'

const NAMES = ['a', 'b', 'c']
const name = fc.constantFrom(...NAMES)
const step = fc.constantFrom(...NAMES, ...NAMES, '..', '.', '')
const steps = fc.array(step, { minLength: 1, maxLength: 6 }).map((all) => all.join('/'))
const below = fc.array(name, { minLength: 1, maxLength: 3 }).map((all) => all.join('/'))

const node = fc.oneof(
  fc.record({ kind: fc.constant('folder' as const), at: below }),
  fc.record({ kind: fc.constant('file' as const), at: below }),
  fc.record({
    kind: fc.constant('link' as const),
    at: below,
    to: fc.oneof(
      steps,
      steps.map((path) => `TOP/${path}`),
    ),
  }),
)
const tree = fc.array(node, { maxLength: 14 })
type Node = typeof node extends fc.Arbitrary<infer Value> ? Value : never

test('[S13] resolves a path like a step-by-step walk, and allows it only if that is in scope', async () => {
  const top = await freshFolder()
  let reached = 0
  await fc.assert(
    fc.asyncProperty(tree, steps, fc.boolean(), async (nodes, path, isAbsolute) => {
      rmSync(top, { recursive: true, force: true })
      mkdirSync(join(top, 'work'), { recursive: true })
      for (const each of nodes) make(top, each)
      const from = join(top, 'work')
      const given = isAbsolute ? `${top}/${path}` : path

      const expected = walk(from, given)
      const found = await followPath(from, given)
      expect(found.kind === 'found' ? join(found.path, ...found.missing) : 'lost').toBe(expected)

      const scope = await openScope({ workingDir: from, fsScopeTier: 'sandboxed' }, { tier: 'full' })
      const place = scope.kind === 'scope' ? await scope.resolve(given, 'read') : scope
      const mayReach = expected !== 'lost' && isWithinFolder(expected, from)
      expect(place.kind).toBe(mayReach ? 'place' : 'refused')
      if (mayReach) reached += 1
    }),
    { numRuns: 500 },
  )
  expect(reached).toBeGreaterThan(30)
})

/** Half of it is in the working folder; entries that cannot be created are skipped. */
function make(top: string, { at, ...made }: Node): void {
  const path = join(top, at.startsWith('a') ? at : `work/${at}`)
  try {
    mkdirSync(join(path, '..'), { recursive: true })
    if (made.kind === 'folder') mkdirSync(path)
    if (made.kind === 'file') writeFileSync(path, 'x', { flag: 'wx' })
    if (made.kind === 'link') symlinkSync(made.to.replace('TOP', top) || '.', path)
  } catch {
    return
  }
}

/** Slow and simple: one name at a time; a link's target is prepended to the rest. */
function walk(from: string, path: string): string {
  const left = (path.startsWith('/') ? path : `${from}/${path}`).split('/')
  const isFolderMeant = path.endsWith('/')
  let at = '/'
  let links = 0
  let isMissing = false
  let isFile = false
  while (left.length > 0) {
    const next = left.shift() ?? ''
    if (isMissing && (next === '.' || next === '..')) return 'lost'
    if (isFile) return 'lost'
    if (next === '' || next === '.') continue
    if (next === '..') {
      at = join(at, '..')
      continue
    }
    const there = join(at, next)
    const stat: Stats | undefined = isMissing ? undefined : lstatSync(there, { throwIfNoEntry: false })
    if (stat?.isSymbolicLink()) {
      links += 1
      if (links > 40) return 'lost'
      const to = readlinkSync(there)
      // What a link names has to exist, so nothing is made through it.
      if (to.startsWith('/')) at = '/'
      if (!leadsSomewhere(at, to)) return 'lost'
      left.unshift(...to.split('/'))
      continue
    }
    at = there
    isMissing ||= stat === undefined
    isFile = stat?.isFile() === true
  }
  return isMissing && isFolderMeant ? 'lost' : at
}

function leadsSomewhere(at: string, to: string, links = 0): boolean {
  let here = to.startsWith('/') ? '/' : at
  const left = to.split('/')
  while (left.length > 0) {
    const next = left.shift() ?? ''
    if (lstatSync(here, { throwIfNoEntry: false })?.isDirectory() !== true) return false
    if (next === '' || next === '.') continue
    const there = join(here, next)
    const stat = lstatSync(there, { throwIfNoEntry: false })
    if (!stat) return false
    if (!stat.isSymbolicLink()) {
      here = there
      continue
    }
    links += 1
    if (links > 40) return false
    const further = readlinkSync(there)
    if (further.startsWith('/')) here = '/'
    left.unshift(...further.split('/'))
  }
  return true
}

test.each([
  ['src/grüße.ts', 'src/grüße.ts'],
  ['a b', 'a b'],
  ['a\nb', String.raw`a\u{a}b`],
  ['a\u{202e}b', String.raw`a\u{202e}b`],
  ['a\u{200b}b', String.raw`a\u{200b}b`],
  [String.raw`a\u{a}b`, String.raw`a\\u{a}b`],
])('%j is shown as %s', (path, shown) => {
  expect(toPrintablePath(path)).toBe(shown)
})

test('[S13] attack: different paths are shown differently', () => {
  const path = fc.string({ unit: fc.constantFrom('a', '\\', 'u', '{', '}', '\n', '\u{202e}') })
  fc.assert(
    fc.property(path, path, (one, other) => {
      expect(toPrintablePath(one) === toPrintablePath(other)).toBe(one === other)
    }),
    { numRuns: 2_000 },
  )
})

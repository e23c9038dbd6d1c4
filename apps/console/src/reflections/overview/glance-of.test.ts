import type { ShareLink } from '@parley/contracts'
import { expect, test } from 'vitest'
import { glanceOf } from './glance-of.ts'

type Known = Parameters<typeof glanceOf>[0]

const EMPTY: Known = {
  reflection: { namespaces: [{ name: 'letters', isPublished: false }] },
  rights: { mayManage: true, mayTeach: true },
  missing: ['no voice is chosen'],
  summary: { sources: { learned: 0, busy: 0, wrong: 0 }, waiting: 0, namespaces: [] },
  links: [],
  surfaces: undefined,
  now: 0,
}
const FULL: Known = {
  ...EMPTY,
  reflection: { namespaces: [{ name: 'letters', isPublished: true }] },
  missing: [],
  summary: {
    sources: { learned: 16, busy: 2, wrong: 1 },
    waiting: 1,
    namespaces: [
      { name: 'letters', sources: 9, facts: 1_000 },
      { name: 'notes', sources: 10, facts: 234 },
    ],
  },
  links: [{ uses: 0 } as ShareLink, { uses: 2, maxUses: 2 } as ShareLink],
  surfaces: [
    { surface: 'standard', status: 'fresh', differs: [], missing: [] },
    { surface: 'memory', status: 'fresh', differs: [], missing: [] },
    { surface: 'public', status: 'stale', differs: ['x'], missing: [] },
  ],
}
const said = (known: Known) => Object.fromEntries(glanceOf(known).map(({ label, words }) => [label, words]))

test('a new reflection says what to do first', () => {
  expect(said(EMPTY)).toEqual({
    Sources: 'None yet: add the first',
    Facts: 'None known yet',
    Patches: 'None waiting',
    'For anybody': 'Nothing is public',
    Voice: 'No voice is chosen',
    'Share links': 'None is open',
    'Agents at the provider': '…',
  })
  expect(
    glanceOf(EMPTY)
      .filter(({ isDue }) => isDue)
      .map(({ label }) => label),
  ).toEqual(['Sources'])
})

test('one that is in use says how it stands, and what waits', () => {
  expect(said(FULL)).toEqual({
    Sources: '16 learned, 2 on the way, 1 could not be learned',
    Facts: '1,234 known',
    Patches: '1 waiting',
    'For anybody': 'Public: letters',
    Voice: 'Can be spoken with',
    'Share links': '1 is open',
    'Agents at the provider': '2 up to date, 1 behind',
  })
  expect(
    glanceOf(FULL)
      .filter(({ isDue }) => isDue)
      .map(({ label }) => label),
  ).toEqual(['Patches'])
})

test('links are told to who may see them, and nothing is guessed before it is known', () => {
  const viewer = { ...EMPTY, rights: { mayManage: false, mayTeach: false }, summary: undefined }
  expect(said(viewer)).toMatchObject({ Sources: '…', Facts: '…' })
  expect(said(viewer)).not.toHaveProperty('Share links')
  expect(said({ ...EMPTY, links: undefined })).toMatchObject({ 'Share links': '…' })
  expect(said({ ...EMPTY, surfaces: null })).toMatchObject({ 'Agents at the provider': 'Cannot be told' })
})

test('[A3] what waits is due for who may decide on it, and only told to who may not', () => {
  const viewer = { ...FULL, rights: { mayManage: false, mayTeach: false } }
  const patches = glanceOf(viewer).find(({ label }) => label === 'Patches')
  expect(patches).toMatchObject({ words: '1 waiting', isDue: false })
})

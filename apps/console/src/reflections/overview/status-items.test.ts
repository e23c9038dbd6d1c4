import type { ShareLink } from '@parley/contracts'
import { expect, test } from 'vitest'
import { listStatusItems } from './status-items.ts'

type State = Parameters<typeof listStatusItems>[0]

const EMPTY: State = {
  reflection: { namespaces: [{ name: 'letters', isPublished: false }] },
  rights: { mayManage: true, mayTeach: true },
  missing: ['no voice is chosen'],
  summary: { sources: { learned: 0, busy: 0, wrong: 0 }, waiting: 0, namespaces: [] },
  links: [],
  surfaces: undefined,
  now: 0,
}
const FULL: State = {
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
const listLabels = (state: State) =>
  Object.fromEntries(listStatusItems(state).map(({ label, value }) => [label, value]))

test('a new reflection shows the first step', () => {
  expect(listLabels(EMPTY)).toEqual({
    Sources: 'Add the first source',
    Facts: 'None yet',
    Review: 'Nothing to review',
    Public: 'Nothing',
    Voice: 'No voice is chosen',
    'Share links': 'None active',
    'Voice agents': '…',
  })
  expect(
    listStatusItems(EMPTY)
      .filter(({ needsAction }) => needsAction)
      .map(({ label }) => label),
  ).toEqual(['Sources'])
})

test('a reflection in use shows its numbers and the waiting review', () => {
  expect(listLabels(FULL)).toEqual({
    Sources: '16 imported, 2 in progress, 1 failed',
    Facts: '1,234 active',
    Review: '1 waiting',
    Public: 'letters',
    Voice: 'Voice ready',
    'Share links': '1 active',
    'Voice agents': '2 up to date, 1 out of date',
  })
  expect(
    listStatusItems(FULL)
      .filter(({ needsAction }) => needsAction)
      .map(({ label }) => label),
  ).toEqual(['Review'])
})

test('links are shown only to managers, and loading values as an ellipsis', () => {
  const viewer = { ...EMPTY, rights: { mayManage: false, mayTeach: false }, summary: undefined }
  expect(listLabels(viewer)).toMatchObject({ Sources: '…', Facts: '…' })
  expect(listLabels(viewer)).not.toHaveProperty('Share links')
  expect(listLabels({ ...EMPTY, links: undefined })).toMatchObject({ 'Share links': '…' })
  expect(listLabels({ ...EMPTY, surfaces: null })).toMatchObject({ 'Voice agents': 'Unknown' })
})

test('agents that were never created are not ready', () => {
  const surfaces: State['surfaces'] = [{ surface: 'public', status: 'not_ready', differs: [], missing: [] }]
  expect(listLabels({ ...FULL, surfaces })).toMatchObject({ 'Voice agents': 'Not ready' })
})

test('[A3] a waiting review needs action only from people who may approve it', () => {
  const viewer = { ...FULL, rights: { mayManage: false, mayTeach: false } }
  const review = listStatusItems(viewer).find(({ label }) => label === 'Review')
  expect(review).toMatchObject({ value: '1 waiting', needsAction: false })
})

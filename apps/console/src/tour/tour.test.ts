import type { ReflectionId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { placeCard, listTourSteps } from './tour.tsx'

const id = 'rfl_1' as ReflectionId

test('with a reflection the tour goes from talking to sharing, and ends at home', () => {
  const steps = listTourSteps({ id, role: 'admin' })
  expect(steps).toHaveLength(6)
  expect(steps.map(({ href }) => href)).toEqual([
    '/',
    '/reflections/rfl_1',
    '/reflections/rfl_1',
    '/reflections/rfl_1',
    '/reflections/rfl_1',
    '/',
  ])
})

test.each(['operator', 'viewer'] as const)(
  '[A1] the tour hides publishing and sharing from a member with role %s',
  (role) => {
    const titles = listTourSteps({ id, role }).map(({ title }) => title)
    expect(titles).toEqual(['Talk to it', 'Where answers come from', 'Public and private', 'Sessions'])
  },
)

test('without a reflection the tour shows where to create one', () => {
  expect(listTourSteps(undefined).map(({ title }) => title)).toEqual(['Reflections', 'Sessions'])
})

const card = { width: 320, height: 160 }
const view = { width: 1000, height: 800 }
type Anchor = Parameters<typeof placeCard>[0]

test.each<[string, Anchor, typeof view, { left: number; top: number }]>([
  ['beside its anchor', { left: 100, top: 50, width: 80, height: 30 }, view, { left: 192, top: 50 }],
  [
    'beside it, but not beyond the end',
    { left: 100, top: 750, width: 80, height: 30 },
    view,
    { left: 192, top: 628 },
  ],
  [
    'below it if there is no room beside',
    { left: 600, top: 50, width: 80, height: 30 },
    view,
    { left: 600, top: 92 },
  ],
  [
    'above it if there is no room below',
    { left: 600, top: 700, width: 80, height: 40 },
    view,
    { left: 600, top: 528 },
  ],
  ['not beyond the side', { left: 900, top: 50, width: 80, height: 30 }, view, { left: 668, top: 92 }],
  [
    'in the corner beside something large',
    { left: 0, top: 0, width: 900, height: 790 },
    view,
    { left: 668, top: 628 },
  ],
  ['in the corner without an anchor', undefined, view, { left: 668, top: 628 }],
  ['never out of a small view', undefined, { width: 300, height: 100 }, { left: 12, top: 12 }],
])('%s', (_, anchor, given, expected) => {
  expect(placeCard(anchor, card, given)).toEqual(expected)
})

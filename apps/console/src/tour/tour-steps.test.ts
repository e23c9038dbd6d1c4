import type { ReflectionId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { tourSteps } from './tour-steps.ts'

const id = 'rfl_1' as ReflectionId

test('with a reflection the tour goes from talking to sharing, and ends at home', () => {
  const steps = tourSteps({ id, role: 'admin' })
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
    const titles = tourSteps({ id, role }).map(({ title }) => title)
    expect(titles).toEqual(['Talk to it', 'Where answers come from', 'Public and private', 'Sessions'])
  },
)

test('without a reflection the tour shows where to create one', () => {
  expect(tourSteps(undefined).map(({ title }) => title)).toEqual(['Reflections', 'Sessions'])
})

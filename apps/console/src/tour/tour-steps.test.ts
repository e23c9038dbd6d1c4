import type { ReflectionId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { tourSteps } from './tour-steps.ts'

const id = 'rfl_1' as ReflectionId

test('with a reflection it goes from talking to sharing, and ends at home', () => {
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
  '[A1] a member who is %s is told nothing of publishing and sharing',
  (role) => {
    const titles = tourSteps({ id, role }).map(({ title }) => title)
    expect(titles).toEqual(['Talk to it', 'Where answers come from', 'What is public', 'What was said'])
  },
)

test('without one it tells what there is to do', () => {
  expect(tourSteps(undefined).map(({ title }) => title)).toEqual(['Reflections', 'What was said'])
})

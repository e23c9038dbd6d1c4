import type { ReflectionId } from '@parley/contracts'

/** What starts the names of all lists of reflections. */
export const REFLECTIONS = ['reflections'] as const

/** What starts the names of all that was read of one reflection. */
export const reflectionKey = (reflectionId: ReflectionId) => ['reflection', reflectionId] as const

import type { ReflectionId } from '@parley/contracts'

/** Query key prefix of every list of reflections. */
export const REFLECTIONS = ['reflections'] as const

/** Query key prefix of everything read about one reflection. */
export const reflectionKey = (reflectionId: ReflectionId) => ['reflection', reflectionId] as const

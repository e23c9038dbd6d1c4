import type { PersonId } from '@parley/contracts'

/** The owner of the benchmark's reflections. */
export const PERSON = 'per_bench' as PersonId

import type { PersonId } from '@parley/contracts'

/** Whose reflections the bench makes. */
export const PERSON = 'per_bench' as PersonId

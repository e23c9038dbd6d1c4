import type { ReflectionId } from '@parley/contracts'
import { vi } from 'vitest'
import type { spokenApi } from '../../apps/api/src/reflections/spoken-api.fixture.ts'
import { canary } from './canary.ts'

export type SpokenApi = Awaited<ReturnType<typeof spokenApi>>

/** What a planting is done with. */
export interface Garden {
  readonly api: SpokenApi
  readonly reflectionId: ReflectionId
  /** A new canary, of which note is taken. */
  readonly plant: (place: string) => string
  /** Something that is there anyway, and must not show. */
  readonly mark: (place: string, word: string) => void
}

/** What is done in the background is waited for. */
export const eventually = (check: () => Promise<void>) =>
  vi.waitFor(check, { timeout: 60_000, interval: 100 })

/** Published, and hence to be found wherever the public looks. */
export const PUBLISHED = canary('what is published')

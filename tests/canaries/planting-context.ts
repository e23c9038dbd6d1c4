import type { ReflectionId } from '@parley/contracts'
import { vi } from 'vitest'
import type { spokenApi } from '../../apps/api/src/reflections/spoken-api.fixture.ts'
import { createCanary } from './canary.ts'

export type SpokenApi = Awaited<ReturnType<typeof spokenApi>>

/** Plants canaries in one reflection. */
export interface PlantingContext {
  readonly api: SpokenApi
  readonly reflectionId: ReflectionId
  /** Creates and registers a canary. Returns its word. */
  readonly plant: (place: string) => string
  /** Registers an existing private value as a canary. */
  readonly mark: (place: string, word: string) => void
}

/** Waits until background work makes the check pass. */
export const waitUntilPasses = (check: () => Promise<void>) =>
  vi.waitFor(check, { timeout: 60_000, interval: 100 })

/** A published word, which must occur on every public surface that shows facts. */
export const PUBLISHED = createCanary('a public fact')

import type { HealthSeries } from '@parley/contracts'
import type { Unit } from './value-in-words.ts'

export interface ChartProps {
  readonly title: string
  /** What is measured, in a few words. */
  readonly about: string
  readonly unit: Unit
  readonly times: readonly number[]
  readonly series: readonly HealthSeries[]
}

import type { ReflectionId } from '@parley/contracts'

export interface OfReflection {
  readonly reflectionId: ReflectionId
}

export interface PageOf<Item> {
  readonly items: readonly Item[]
  /** Give it as `cursor` to read on; absent at the end. */
  readonly nextCursor?: string | undefined
}

export interface PageQuery {
  readonly limit?: number
  readonly cursor?: string
}

export const REFLECTIONS = '/v1/reflections'

/** The address of a reflection, or of something in it. */
export const at = (...parts: readonly string[]): string =>
  `${REFLECTIONS}/${parts.map(encodeURIComponent).join('/')}`

import type { Json } from '@parley/contracts'

/** The value if it is a JSON object. */
export const toJsonObject = (value: Json | undefined): Record<string, Json> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined

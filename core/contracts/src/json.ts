import { z } from 'zod'

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** Unchecked: parsers only produce JSON, and OpenAPI generation does not support a recursive schema. */
export const Json = z.unknown() as unknown as z.ZodType<Json>

/** JSON with sorted keys, so equal input gives equal text. */
export function toCanonicalJson(value: Json | undefined): string {
  if (value === undefined) return 'null'
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${toCanonicalJson(value[key])}`)
  return `{${entries.join(',')}}`
}

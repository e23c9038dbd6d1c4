import { z } from 'zod'

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** Unchecked: parsers only produce JSON, and OpenAPI generation does not support a recursive schema. */
export const Json = z.unknown() as unknown as z.ZodType<Json>

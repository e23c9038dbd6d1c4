import { z } from 'zod'

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** What comes out of a JSON or YAML parser is JSON already, and a recursive schema could not be written as OpenAPI. */
export const Json = z.unknown() as unknown as z.ZodType<Json>

import { Problem } from '@parley/contracts'
import type { z } from 'zod'

/** What a JSON answer looks like in a route's description. */
export const json = <S extends z.ZodType>(schema: S, description: string) => ({
  description,
  content: { 'application/json': { schema } },
})

/** A JSON body that must be there. */
export const body = <S extends z.ZodType>(schema: S) => ({
  required: true,
  content: { 'application/json': { schema } },
})

export const problems = {
  default: { description: 'What went wrong', content: { 'application/problem+json': { schema: Problem } } },
} as const

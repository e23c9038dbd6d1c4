import { z } from 'zod'

/** A title that a person gives. */
export const SessionTitle = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(200, 'has at most 200 characters')

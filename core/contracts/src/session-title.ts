import { z } from 'zod'

/** A title that a person gives a session. */
export const SessionTitle = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine(
    (title) => title.isWellFormed() && !title.includes('\0'),
    'no U+0000 and no half of a surrogate pair',
  )

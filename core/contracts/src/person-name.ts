import { z } from 'zod'

/** What a person is called here. Others decide by it, so it holds nothing that breaks the line or turns it around. */
export const PersonName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine(
    (name) => !UNFIT.test(name),
    'must be one line, without control characters and without marks that change the direction of text',
  )

const UNFIT = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

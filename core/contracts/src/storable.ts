import type { z } from 'zod'

/** Whether Postgres can keep a text as it is. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

export const UNSTORABLE = 'no U+0000 and no half of a surrogate pair'

/** The same body, refused where one of its texts cannot be kept. */
export const storable = <Body extends z.ZodType<object>>(body: Body): Body =>
  body.refine(
    (sent) =>
      Object.values(sent)
        .flat()
        .every((value) => typeof value !== 'string' || isStorable(value)),
    UNSTORABLE,
  )

import { z } from 'zod'

/** Whether Postgres can store a text unchanged. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

export const UNSTORABLE = 'no U+0000 and no half of a surrogate pair'

/** The same body, but refused if one of its texts cannot be stored. */
export const requireStorable = <Body extends z.ZodType<object>>(body: Body): Body =>
  body.refine(
    (sent) =>
      Object.values(sent)
        .flat()
        .every((value) => typeof value !== 'string' || isStorable(value)),
    UNSTORABLE,
  )

/** A session title that a person chose. */
export const SessionTitle = z.string().trim().min(1).max(200).refine(isStorable, UNSTORABLE)

/** A person's display name. Others rely on it, so it has no line breaks and no marks that reorder text. */
export const PersonName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine(
    (name) => !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(name),
    'must be one line, without control characters and without marks that change the direction of text',
  )

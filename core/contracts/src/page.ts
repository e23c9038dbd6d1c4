import { z } from 'zod'

export const PageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(200).optional(),
})

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    /** Give it as `cursor` to read on; absent at the end. */
    nextCursor: z.string().optional(),
  })

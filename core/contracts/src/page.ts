import { z } from 'zod'

export const PageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(200).optional(),
})
export type PageQuery = z.infer<typeof PageQuery>

export const createPageSchema = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    /** Send it as `cursor` (`after` for numbered items) to get the next page; absent on the last page. */
    nextCursor: z.string().optional(),
  })

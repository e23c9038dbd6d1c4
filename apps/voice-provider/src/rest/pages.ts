import type { PageOf } from '@parley/postgres'
import { z } from 'zod'

/** How a client asks for one page of a list. */
export const PageQuery = z.object({
  page_size: z.coerce.number().int().min(1).max(100).default(30),
  cursor: z.string().optional(),
  search: z.string().optional(),
  sort_direction: z.enum(['asc', 'desc']).default('desc'),
})

export const pageFrom = ({ page_size, cursor, search, sort_direction }: z.infer<typeof PageQuery>) => ({
  limit: page_size,
  direction: sort_direction,
  ...(cursor !== undefined && { cursor }),
  ...(search !== undefined && search !== '' && { search }),
})

/** What every list says of the page after it. */
export const moreOf = ({ nextCursor }: PageOf<unknown>) => ({
  has_more: nextCursor !== undefined,
  next_cursor: nextCursor ?? null,
})

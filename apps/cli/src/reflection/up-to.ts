import type { PageOf } from '@parley/api-client'

const PAGE = 200

/** So many of what comes in pages, and whether there are more. */
export async function upTo<Item>(
  limit: number,
  read: (page: { limit: number; cursor?: string }) => Promise<PageOf<Item>>,
): Promise<{ readonly items: readonly Item[]; readonly more: boolean }> {
  const items: Item[] = []
  let cursor: string | undefined
  do {
    const page = await read({
      limit: Math.min(PAGE, limit - items.length),
      ...(cursor !== undefined && { cursor }),
    })
    items.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== undefined && items.length < limit)
  return { items, more: cursor !== undefined }
}

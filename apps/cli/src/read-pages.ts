const PAGE = 200

export type ReadPage<Item> = (page: { limit: number; cursor?: string }) => Promise<{
  readonly items: readonly Item[]
  readonly nextCursor?: string | undefined
}>

/** Reads up to `limit` items page by page, and whether there are more. */
export async function readUpTo<Item>(
  limit: number,
  read: ReadPage<Item>,
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

export const readAll = async <Item>(read: ReadPage<Item>): Promise<readonly Item[]> =>
  (await readUpTo(Number.POSITIVE_INFINITY, read)).items

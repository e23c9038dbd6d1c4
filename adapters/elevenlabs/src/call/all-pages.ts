interface Page<Item> {
  readonly items: readonly Item[]
  readonly hasMore?: boolean
  readonly nextCursor?: string
}

/** More than any workspace has; a provider that pages for ever is stopped here. */
const MOST_PAGES = 1_000

/** Everything that a list holds, page after page. */
export async function allPages<Item>(
  read: (cursor: { readonly cursor?: string }) => Promise<Page<Item>>,
): Promise<readonly Item[]> {
  const items: Item[] = []
  let cursor: { readonly cursor?: string } = {}
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const page = await read(cursor)
    items.push(...page.items)
    if (page.hasMore === false || !page.nextCursor || page.nextCursor === cursor.cursor) break
    cursor = { cursor: page.nextCursor }
  }
  return items
}

import { PlatformError } from '@parley/contracts'
import type { Page, PageOf } from '@parley/knowledge'

interface Listed {
  readonly id: string
  readonly created_at: Date
}

/** One more than is asked for, and where the page begins: after this time and id, both going down. */
export function pageValues({ limit, cursor }: Page): readonly [limit: number, at: string, id: string] {
  if (cursor === undefined) return [limit + 1, 'infinity', '']
  const [at = '', id = ''] = cursor.split(' ')
  if (CURSOR.test(cursor) && !Number.isNaN(Date.parse(at))) return [limit + 1, at, id]
  throw new PlatformError('validation', {
    message: 'This cursor is none of ours. Leave it out to start at the first page.',
  })
}

export function pageOf<Row extends Listed, Item>(
  { limit }: Page,
  rows: readonly Row[],
  toItem: (row: Row) => Item,
): PageOf<Item> {
  const kept = rows.slice(0, limit)
  const last = kept.at(-1)
  return {
    items: kept.map(toItem),
    ...(rows.length > limit && last && { nextCursor: `${last.created_at.toISOString()} ${last.id}` }),
  }
}

const CURSOR = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z [a-z]{3}_[a-z0-9]+$/

import { type PageQuery, PlatformError } from '@parley/contracts'

interface PageOf<Item> {
  readonly items: Item[]
  readonly nextCursor?: string
}

/** Makes a page of rows that were selected with one row more than the limit. */
export function toPage<Row, Item>(
  { limit }: PageQuery,
  rows: readonly Row[],
  toItem: (row: Row) => Item,
  toCursor: (last: Row) => string,
): PageOf<Item> {
  const selected = rows.slice(0, limit)
  const last = selected.at(-1)
  return { items: selected.map(toItem), ...(rows.length > limit && last && { nextCursor: toCursor(last) }) }
}

/** The same for rows in the order of their creation, latest first. */
export const toTimePage = <Row extends { readonly id: string; readonly created_at: Date }, Item>(
  page: PageQuery,
  rows: readonly Row[],
  toItem: (row: Row) => Item,
): PageOf<Item> => toPage(page, rows, toItem, (last) => toTimeCursor(last.created_at, last.id))

export const toTimeCursor = (at: Date, id: string): string => `${at.toISOString()} ${id}`

/** The limit plus one, and the start of the page: after this time and id, both descending. */
export function parseTimePage({
  limit,
  cursor,
}: PageQuery): readonly [limit: number, at: string, id: string] {
  if (cursor === undefined) return [limit + 1, 'infinity', '']
  const [at = '', id = ''] = cursor.split(' ')
  if (TIME_CURSOR.test(cursor) && !Number.isNaN(Date.parse(at))) return [limit + 1, at, id]
  throw createCursorError()
}

const TIME_CURSOR = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z [a-z]{3}_[a-z0-9]+$/

/** The limit plus one, and the number before which the page starts. */
export function parseNumberPage(
  { limit, cursor }: PageQuery,
  digits: number,
): readonly [limit: number, before: string | null] {
  if (cursor === undefined) return [limit + 1, null]
  if (/^\d+$/.test(cursor) && cursor.length <= digits) return [limit + 1, cursor]
  throw createCursorError()
}

/** The start of a page: after this sort key and id. */
type KeyPosition = readonly [key: string, id: string]

export const toKeyCursor = (...place: KeyPosition): string =>
  Buffer.from(JSON.stringify(place)).toString('base64url')

export function parseKeyCursor(cursor: string): KeyPosition {
  try {
    const [key, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
    if (typeof key === 'string' && typeof id === 'string') return [key, id]
  } catch {
    // Rejected below, as any other invalid cursor.
  }
  throw createCursorError()
}

const createCursorError = (): PlatformError =>
  new PlatformError('validation', {
    message: 'The cursor is invalid. Leave it out to start at the first page.',
  })

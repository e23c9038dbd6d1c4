import { PlatformError } from '@parley/contracts'

interface Place {
  readonly updated_at: string
  readonly id: string
}

/** Sorts after every date and every id. */
const START: Place = { updated_at: '~', id: '~' }

/** Where a page of the list begins. */
export function placeOf(cursor: string | undefined): Place {
  if (cursor === undefined) return START
  const [updated_at, id, ...rest] = Buffer.from(cursor, 'base64url').toString().split(' ')
  if (updated_at && id && rest.length === 0) return { updated_at, id }
  throw new PlatformError('validation', {
    message: 'The cursor is not one that a list of sessions gave. Leave it out to start from the first page.',
  })
}

export const toCursor = ({ updated_at, id }: Place): string =>
  Buffer.from(`${updated_at} ${id}`).toString('base64url')

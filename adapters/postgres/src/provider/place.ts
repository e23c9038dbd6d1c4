import { PlatformError } from '@parley/contracts'

/** Where a page of a list begins: after this key and id. */
export type Place = readonly [key: string, id: string]

export const cursorOf = (place: Place): string => Buffer.from(JSON.stringify(place)).toString('base64url')

export function placeOfCursor(cursor: string): Place {
  try {
    const [key, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
    if (typeof key === 'string' && typeof id === 'string') return [key, id]
  } catch {
    // Told below, as for any other text that is no cursor.
  }
  throw new PlatformError('validation', {
    message: 'This cursor is none of ours. Leave it out to start at the first page.',
  })
}

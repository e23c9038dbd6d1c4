import { PlatformError } from '@parley/contracts'
import type { AgentSessionRecord } from '@parley/engine'

/** Where a page of the list begins: after this time and id, both going down. */
export type ListPlace = readonly [updatedAt: string, id: string]

export const FIRST_PAGE: ListPlace = ['infinity', '']

export const placeAfter = ({ session }: AgentSessionRecord) => `${session.updatedAt} ${session.id}`

export function readCursor(cursor: string): ListPlace {
  const [updatedAt = '', id = ''] = cursor.split(' ')
  if (PLACE.test(cursor) && !Number.isNaN(Date.parse(updatedAt))) return [updatedAt, id]
  throw new PlatformError('validation', {
    message: 'This cursor is none of ours. Leave it out to start at the first page.',
  })
}

const PLACE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z ses_[a-z0-9]+$/

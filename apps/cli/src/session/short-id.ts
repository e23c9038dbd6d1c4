import type { SessionId } from '@parley/contracts'

/** The beginning of an id, enough to find its session by. */
export const shortId = (id: SessionId, length = 8): string => id.slice('ses_'.length, 'ses_'.length + length)

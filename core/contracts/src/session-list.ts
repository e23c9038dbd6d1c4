import { z } from 'zod'
import { SessionView } from './api-bodies.ts'
import { ReflectionId } from './ids.ts'
import { PageQuery } from './page.ts'
import { Channel, StartedOrFailed } from './session.ts'

/** All that is named has to hold. */
export const ListSessions = PageQuery.extend({
  /** Words that the title or a message holds, whatever their case. */
  search: z.string().trim().min(1).max(200).optional(),
  channel: Channel.optional(),
  status: StartedOrFailed.optional(),
  /** Of the open turn: `waiting` is for a person. */
  turn: z.literal('waiting', { error: 'a turn is asked for by "waiting"' }).optional(),
  /** Whom they are with. */
  reflectionId: ReflectionId.optional(),
  /** `all` is for admins: whatever they may read. */
  whose: z.enum(['own', 'all']).default('own'),
})
export type ListSessions = z.infer<typeof ListSessions>

export const ListedSession = SessionView.extend({ reflectionId: ReflectionId.optional() })
export type ListedSession = z.infer<typeof ListedSession>

export const SessionPage = z.object({ items: z.array(ListedSession), nextCursor: z.string().optional() })
export type SessionPage = z.infer<typeof SessionPage>

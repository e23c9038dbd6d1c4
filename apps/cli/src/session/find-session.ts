import { PlatformError, SessionId } from '@parley/contracts'
import type { SessionRecord, SessionStore } from '@parley/engine'
import { fitText } from '../render/text-width.ts'
import { neutralise } from '../render/neutralise.ts'
import { shortId } from './short-id.ts'

const PAGE = 200
const MOST_NAMED = 5

/** The session that a whole id or the beginning of one stands for; without either, the latest. */
export async function findSession(store: SessionStore, given: string | undefined): Promise<SessionRecord> {
  if (given === undefined) return latest(store)
  const written = given.trim().toLowerCase()
  const id = SessionId.safeParse(written)
  const exact = id.success ? await store.find(id.data) : undefined
  if (exact) return exact

  const beginning = written.replace(/^ses_/, '')
  if (beginning === '') throw tooShort(given)
  const found = await matching(store, beginning)
  const [only, another] = found
  if (only && !another) return only
  if (only) throw ambiguous(given, found)
  throw new PlatformError('session_not_found', {
    message: `There is no session whose id begins with "${given}".`,
    given,
  })
}

const tooShort = (given: string) =>
  new PlatformError('validation', {
    message:
      given.trim() === ''
        ? 'An empty id stands for no session.'
        : `Every id begins with "${given}". Write more of the one you mean.`,
    mend: '`parley sessions` lists the ids.',
  })

async function latest(store: SessionStore): Promise<SessionRecord> {
  const { items } = await store.list({ limit: 1 })
  const [record] = items
  if (record) return record
  throw new PlatformError('session_not_found', {
    message: 'There is no session yet.',
    mend: '`parley chat` starts one.',
  })
}

async function matching(store: SessionStore, beginning: string): Promise<readonly SessionRecord[]> {
  const found: SessionRecord[] = []
  let cursor: string | undefined
  do {
    const page = await store.list({ limit: PAGE, ...(cursor !== undefined && { cursor }) })
    found.push(...page.items.filter(({ session }) => session.id.startsWith(`ses_${beginning}`)))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return found
}

function ambiguous(given: string, found: readonly SessionRecord[]): PlatformError {
  const named = found.slice(0, MOST_NAMED).map(({ session }) => {
    const title = fitText(neutralise(session.title ?? ''), 50)
    return `${shortId(session.id, 12)}  ${title}`.trimEnd()
  })
  const more = found.length - named.length
  const candidates = more > 0 ? [...named, `and ${more} more`] : named
  return new PlatformError('validation', {
    message: `The ids of ${found.length} sessions begin with "${given}". Write more of the one you mean.`,
    mend: candidates.join('\n'),
    candidates: found.map(({ session }) => session.id),
  })
}

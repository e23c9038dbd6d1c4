import { PlatformError, SessionId } from '@parley/contracts'
import { fitText } from '../render/text-width.ts'
import { neutralise } from '../render/neutralise.ts'
import { shortId } from './short-id.ts'

const PAGE = 200
const MOST_NAMED = 5

/** Where sessions are kept, and what they are called there. */
interface Kept<Item> {
  readonly find: (id: SessionId) => Promise<Item | undefined>
  readonly list: (page: { limit: number; cursor?: string }) => Promise<{
    readonly items: readonly Item[]
    readonly nextCursor?: string | undefined
  }>
  readonly called: (item: Item) => { readonly id: string; readonly title?: string | undefined }
}

/** The one that a whole id or the beginning of one stands for; undefined where there is none. */
export async function findById<Item>(kept: Kept<Item>, given: string): Promise<Item | undefined> {
  const written = given.trim().toLowerCase()
  const id = SessionId.safeParse(written)
  const exact = id.success ? await kept.find(id.data) : undefined
  if (exact) return exact

  const beginning = written.replace(/^ses_/, '')
  if (beginning === '') throw tooShort(given)
  const found = await matching(kept, beginning)
  const [only, another] = found
  if (another) throw ambiguous(given, found.map(kept.called))
  return only
}

const tooShort = (given: string) =>
  new PlatformError('validation', {
    message:
      given.trim() === ''
        ? 'An empty id stands for no session.'
        : `Every id begins with "${given}". Write more of the one you mean.`,
    mend: '`parley sessions` lists the ids.',
  })

async function matching<Item>({ list, called }: Kept<Item>, beginning: string): Promise<readonly Item[]> {
  const found: Item[] = []
  let cursor: string | undefined
  do {
    const page = await list({ limit: PAGE, ...(cursor !== undefined && { cursor }) })
    found.push(...page.items.filter((item) => called(item).id.startsWith(`ses_${beginning}`)))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return found
}

function ambiguous(given: string, found: readonly { id: string; title?: string | undefined }[]) {
  const named = found.slice(0, MOST_NAMED).map(({ id, title }) => {
    return `${shortId(id, 12)}  ${fitText(neutralise(title ?? ''), 50)}`.trimEnd()
  })
  const more = found.length - named.length
  const candidates = more > 0 ? [...named, `and ${more} more`] : named
  return new PlatformError('validation', {
    message: `The ids of ${found.length} sessions begin with "${given}". Write more of the one you mean.`,
    mend: candidates.join('\n'),
    candidates: found.map(({ id }) => id),
  })
}

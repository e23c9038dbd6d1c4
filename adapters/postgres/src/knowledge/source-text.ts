import type { SourcePassage } from '@parley/contracts'
import type { ReflectionStore } from '@parley/knowledge'
import type { StoreHost } from './store-host.ts'

/** What a source says now, passage by passage: the chunks that are searched, in order. */
export function sourceText({ run }: Pick<StoreHost, 'run'>): Pick<ReflectionStore, 'sourceText'> {
  return {
    async sourceText(reflectionId, sourceId, { after, limit, words }) {
      const [held] = await run<HeldRow>(HELD, [reflectionId, sourceId, words ?? null])
      const { count = 0, found_at: foundAt = null } = held ?? {}
      const from = foundAt === null ? after : Math.max(0, foundAt - 1 - BEFORE)
      const items = await run<SourcePassage>(PASSAGES, [reflectionId, sourceId, from, limit])
      return { items: [...items], count, ...(foundAt !== null && { foundAt }) }
    },
  }
}

/** So much is given before the words that were looked for. */
const BEFORE = 3

interface HeldRow {
  readonly count: number
  readonly found_at: number | null
}

const HELD = {
  name: 'held_of_source_text',
  text: `select count(*)::int as count,
      min(ordinal) filter (where $3::text is not null and position($3 in text) > 0) as found_at
    from chunks where reflection_id = $1 and source_id = $2 and is_current`,
}

const PASSAGES = {
  name: 'passages_of_source',
  text: `select ordinal, text, place from chunks
    where reflection_id = $1 and source_id = $2 and is_current and ordinal > $3
    order by ordinal limit $4`,
}

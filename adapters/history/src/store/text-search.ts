import type { SessionMessage } from '@parley/contracts'
import type Database from 'better-sqlite3-multiple-ciphers'

/** Adds to SQL what it lacks: search whatever the case, in any script, and only in what was said. */
export function addTextSearch(database: Database): void {
  let needle = needleOf('')
  const needleFor = (search: string) => (needle = needle.search === search ? needle : needleOf(search))
  const options = { deterministic: true }

  database.function('text_holds', options, (text: string | null, search: string) =>
    Number(fold(text ?? '').includes(needleFor(search).folded)),
  )

  database.function('content_holds', options, (content: string, search: string) => {
    const { folded, asJson } = needleFor(search)
    // Most messages hold it nowhere, and to read them as JSON takes far longer.
    if (!fold(content).includes(asJson)) return 0
    const parts: SessionMessage['content'] = JSON.parse(content)
    return Number(parts.some((part) => fold(wordsOf(part)).includes(folded)))
  })
}

const needleOf = (search: string) => ({
  search,
  folded: fold(search),
  asJson: fold(JSON.stringify(search).slice(1, -1)),
})

/** The last sigma of a word has a form of its own, and which letter is the last is not the same in JSON. */
const fold = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')

function wordsOf(part: SessionMessage['content'][number]): string {
  if (part.type === 'text' || part.type === 'reasoning') return part.text
  return part.type === 'tool_result' ? part.outcome.text : ''
}

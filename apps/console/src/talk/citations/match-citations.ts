import type { AnswerPart, TranscriptTurn } from '@parley/api-client'
import type { Citation } from '@parley/contracts'

/** By the key of a turn: what was looked up in it. A look-up is told from another by its question and their order. */
export function matchCitations(
  turns: readonly TranscriptTurn[],
  citations: readonly Citation[],
): ReadonlyMap<number, readonly Citation[]> {
  const left = [...citations]
  const byTurn = new Map<number, readonly Citation[]>()
  for (const { key, parts } of turns) {
    const found = parts.filter(isLookUp).flatMap(({ call }) => {
      const index = left.findIndex(({ query }) => query.trim() === queryOf(call.input))
      return index < 0 ? [] : left.splice(index, 1)
    })
    if (found.length > 0) byTurn.set(key, found)
  }
  return byTurn
}

type ToolPart = Extract<AnswerPart, { kind: 'tool' }>

/** A call that looks something up, in a session as at a voice provider. */
export const isLookUp = (part: AnswerPart): part is ToolPart =>
  part.kind === 'tool' && part.call.name.replaceAll('_', '-') === 'retrieve-context'

function queryOf(input: ToolPart['call']['input']): string | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined
  const { query } = input
  return typeof query === 'string' ? query.trim() : undefined
}

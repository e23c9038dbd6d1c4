import type { ReflectionId, SourceId } from '@parley/contracts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Passage } from '../app/search-params.ts'

interface SourceLinkProps {
  readonly reflectionId: ReflectionId
  readonly sourceId: SourceId
  /** Opens the source at this text. */
  readonly words?: string
  /** Opens a new tab, to keep this page as it is. */
  readonly isBeside?: boolean
  readonly children: ReactNode
}

export function SourceLink({
  reflectionId,
  sourceId,
  words = '',
  isBeside = false,
  children,
}: SourceLinkProps) {
  return (
    <Link
      to="/reflections/$reflectionId/sources/$sourceId"
      params={{ reflectionId, sourceId }}
      search={toPassage(words)}
      {...(isBeside && { target: '_blank', rel: 'noreferrer' })}
      className="decoration-edge hover:text-ink underline underline-offset-2"
    >
      {children}
    </Link>
  )
}

/** Characters of the start and of the end that identify a passage. */
const KEPT_LENGTH = 80

export function toPassage(words: string): Passage {
  const text = words.trim()
  if (text === '') return {}
  if (text.length <= 2 * KEPT_LENGTH) return { start: text }
  return {
    start: cutToWholeWords(text.slice(0, KEPT_LENGTH), / \S*$/),
    end: cutToWholeWords(text.slice(-KEPT_LENGTH), /^\S* /),
  }
}

const cutToWholeWords = (text: string, cut: RegExp): string => text.replace(cut, '') || text

export function findPassage(
  text: string,
  { start, end }: Passage,
): readonly [from: number, to: number] | undefined {
  const from = start ? text.indexOf(start) : -1
  if (!start || from < 0) return undefined
  const last = end ? text.indexOf(end, from) : -1
  return [from, last < 0 || !end ? from + start.length : last + end.length]
}

import type { ReflectionId, SourceId } from '@parley/contracts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { passageOf } from './source/passage.ts'

interface SourceLinkProps {
  readonly reflectionId: ReflectionId
  readonly sourceId: SourceId
  /** The words to open it at. */
  readonly words?: string
  /** In a tab of its own, where this one must not be left. */
  readonly isBeside?: boolean
  readonly children: ReactNode
}

/** Leads to a source, at the place where these words stand. */
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
      search={passageOf(words)}
      {...(isBeside && { target: '_blank', rel: 'noreferrer' })}
      className="decoration-edge hover:text-ink underline underline-offset-2"
    >
      {children}
    </Link>
  )
}

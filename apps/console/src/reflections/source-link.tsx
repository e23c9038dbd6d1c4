import type { ReflectionId, SourceId } from '@parley/contracts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { toPassage } from './source/passage.ts'

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

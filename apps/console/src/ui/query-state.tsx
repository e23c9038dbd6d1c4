import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorNotice } from './notice.tsx'

interface LoadingProps {
  readonly className?: string
  readonly children?: ReactNode
}

/** Shown while data is loading; it appears only after a moment. */
export const Loading = ({ className = '', children = 'Loading…' }: LoadingProps) => (
  <p className={`animate-late text-soft text-sm ${className}`}>{children}</p>
)

interface QueryStateProps {
  readonly query: Pick<UseQueryResult, 'error' | 'data' | 'refetch'>
  readonly loadingText?: string
}

/** Shown while data is loading, or if it could not be loaded. */
export function QueryState({ query: { error, data, refetch }, loadingText }: QueryStateProps) {
  if (error) return <ErrorNotice error={error} retry={refetch} />
  return data === undefined ? <Loading>{loadingText}</Loading> : null
}

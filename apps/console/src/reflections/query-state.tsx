import type { UseQueryResult } from '@tanstack/react-query'
import { Button } from '../ui/button.tsx'
import { messageOf } from '../ui/message-of.ts'
import { Notice } from '../ui/notice.tsx'

/** Says that loading failed, with a button to try again. */
export function LoadError({ error, retry }: { error: Error; retry: () => unknown }) {
  return <Notice action={<Button onClick={() => void retry()}>Try again</Button>}>{messageOf(error)}</Notice>
}

interface QueryStateProps {
  readonly query: Pick<UseQueryResult, 'error' | 'data' | 'refetch'>
  readonly loadingText: string
}

/** Shown while data is loading, or if it could not be loaded. */
export function QueryState({ query: { error, data, refetch }, loadingText }: QueryStateProps) {
  if (error) return <LoadError error={error} retry={refetch} />
  return data === undefined ? <p className="animate-late text-soft text-sm">{loadingText}</p> : null
}

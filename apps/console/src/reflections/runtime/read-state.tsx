import type { UseQueryResult } from '@tanstack/react-query'
import { Button } from '../../ui/button.tsx'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'

interface ReadStateProps {
  readonly reading: Pick<UseQueryResult, 'error' | 'data' | 'refetch'>
  readonly waiting: string
}

/** What stands where something is still read, or could not be. */
export function ReadState({ reading: { error, data, refetch }, waiting }: ReadStateProps) {
  if (error) {
    return (
      <Notice action={<Button onClick={() => void refetch()}>Try again</Button>}>{messageOf(error)}</Notice>
    )
  }
  return data === undefined ? <p className="animate-late text-soft text-sm">{waiting}</p> : null
}

import type { Reflection } from '@parley/contracts'
import { useState } from 'react'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { useReflectionChange } from '../use-reflection.ts'

interface LearnFromVisitorsProps {
  readonly reflection: Reflection
  readonly isOwner: boolean
}

export function LearnFromVisitors({ reflection, isOwner }: LearnFromVisitorsProps) {
  const { id: reflectionId, shareIngestion } = reflection
  const change = useReflectionChange(reflectionId, (reflections, wanted: boolean) =>
    reflections.change({ reflectionId, shareIngestion: wanted }),
  )
  // Shown at once; what the server holds counts again once it has answered.
  const [wanted, setWanted] = useState<boolean>()
  const choose = (isWanted: boolean) => {
    if (change.isPending) return
    setWanted(isWanted)
    change.mutate(isWanted, { onSettled: () => setWanted(undefined) })
  }
  return (
    <>
      <label className="flex items-baseline gap-2 text-sm leading-6">
        <input
          type="checkbox"
          checked={wanted ?? shareIngestion}
          disabled={!isOwner}
          onChange={(event) => choose(event.target.checked)}
        />
        <span>
          Learn from what visitors say
          <span className="text-soft block max-w-prose">
            What they say is kept in the namespace conversations, is never quoted to another, and counts once
            a person has approved it. {!isOwner && 'Only an owner of this reflection can change this.'}
          </span>
        </span>
      </label>
      {change.error && <Notice>{messageOf(change.error)}</Notice>}
    </>
  )
}

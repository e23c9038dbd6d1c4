import { untilPatch } from '@parley/api-client'
import type { Patch } from '@parley/contracts'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Question } from '../../ui/question.tsx'
import { useOpener } from '../../ui/use-opener.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { useReflectionChange } from '../use-reflection.ts'
import { allInWords } from './all-in-words.ts'

interface ApproveAllProps {
  /** What waits now. */
  readonly patches: readonly Patch[]
  readonly onDecide: (...patches: readonly Patch[]) => void
}

/** Approves one after the other, so that each is looked at by the rules with the one before it known. */
export function ApproveAll({ patches, onDecide }: ApproveAllProps) {
  const { id: reflectionId } = useOpenReflection().reflection
  const asking = useOpener()
  // What comes while somebody reads the question is not what they say yes to.
  const [askedFor, setAskedFor] = useState<ReadonlySet<string>>(new Set())
  const asked = patches.filter(({ id }) => askedFor.has(id))
  const approve = useReflectionChange(reflectionId, async (reflections) => {
    onDecide(...asked)
    for (const { id: patchId } of asked) {
      await reflections.review({ reflectionId, patchId, said: 'approve' })
      await untilPatch(reflections, { reflectionId, patchId }, ({ status }) => status !== 'proposed')
    }
  })
  const ask = () => {
    setAskedFor(new Set(patches.map(({ id }) => id)))
    asking.opener.onClick()
  }
  return (
    <>
      {/* The room is there before the second comes, which would push the first away. */}
      <div className="min-h-9 max-sm:min-h-11">
        {patches.length > 1 ? (
          <Button {...asking.opener} onClick={ask}>
            Approve all {patches.length}
          </Button>
        ) : (
          <p className="text-soft text-sm leading-9">One patch is waiting.</p>
        )}
      </div>
      {asking.isOpen && (
        <Question
          label="Approve all"
          yes={approve.isPending ? 'Approving…' : `Approve all ${asked.length}`}
          no="Look at each"
          look="main"
          doing={{ ...approve, mutate: () => approve.mutate(undefined, { onSuccess: asking.close }) }}
          onClose={asking.close}
        >
          <p>{allInWords(asked)}</p>
        </Question>
      )}
    </>
  )
}

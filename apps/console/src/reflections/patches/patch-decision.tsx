import { untilPatch } from '@parley/api-client'
import type { Patch, ReflectionId, ReviewPatch } from '@parley/contracts'
import { Button } from '../../ui/button.tsx'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { Question } from '../../ui/question.tsx'
import { useOpener } from '../../ui/use-opener.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { useReflectionChange } from '../use-reflection.ts'

interface PatchDecisionProps {
  readonly patch: Patch
  /** Called when the person says something of one that waits. */
  readonly onDecide: (() => void) | undefined
}

/** What a person may say of a patch, by how it stands. */
export function PatchDecision({ patch, onDecide }: PatchDecisionProps) {
  const { rights } = useOpenReflection()
  if (!rights.mayTeach) return null
  switch (patch.status) {
    case 'proposed':
      return <Review patch={patch} onDecide={onDecide} />
    case 'applied':
      return <Revert patch={patch} />
    case 'rejected':
    case 'reverted':
      return null
    default:
      return patch.status satisfies never
  }
}

const DOING: Record<ReviewPatch, string> = {
  approve: 'Approving…',
  reject: 'Rejecting…',
  revert: 'Reverting…',
}

function Review({ patch, onDecide }: PatchDecisionProps) {
  const { reflection } = useOpenReflection()
  const review = useReview(reflection.id, patch)
  const say = (said: ReviewPatch) => {
    if (review.isPending) return
    onDecide?.()
    review.mutate(said)
  }
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <Button
          look="main"
          data-says="approve"
          aria-disabled={review.isPending}
          onClick={() => say('approve')}
        >
          Approve
        </Button>
        <Button data-says="reject" aria-disabled={review.isPending} onClick={() => say('reject')}>
          Reject
        </Button>
        <p role="status" className="text-soft text-sm">
          {review.isPending && DOING[review.variables]}
        </p>
      </div>
      {review.error && <Notice>{messageOf(review.error)}</Notice>}
    </div>
  )
}

function Revert({ patch }: { patch: Patch }) {
  const asking = useOpener()
  const { reflection } = useOpenReflection()
  const review = useReview(reflection.id, patch)
  return (
    <>
      <Button className="self-start" {...asking.opener}>
        Revert
      </Button>
      {asking.isOpen && (
        <Question
          label="Revert this patch"
          yes={review.isPending ? DOING.revert : 'Revert for good'}
          no="Keep it"
          doing={{ ...review, mutate: () => review.mutate('revert', { onSuccess: asking.close }) }}
          onClose={asking.close}
        >
          <p>Revert this patch? Its facts no longer count, and what they superseded counts again.</p>
        </Question>
      )}
    </>
  )
}

/** What a person says of a patch. It is carried out in the background; done is it once the patch stands otherwise. */
function useReview(reflectionId: ReflectionId, patch: Patch) {
  return useReflectionChange(reflectionId, async (reflections, said: ReviewPatch) => {
    const ref = { reflectionId, patchId: patch.id }
    await reflections.review({ ...ref, said })
    await untilPatch(reflections, ref, ({ status }) => status !== patch.status)
  })
}

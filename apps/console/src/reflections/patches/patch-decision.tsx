import type { Patch, ReviewPatch } from '@parley/contracts'
import { Button } from '../../ui/button.tsx'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { Question } from '../../ui/question.tsx'
import { useOpener } from '../../ui/use-opener.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { useReview } from './use-review.ts'

/** What a person may say of a patch, by how it stands. */
export function PatchDecision({ patch }: { patch: Patch }) {
  const { rights } = useOpenReflection()
  if (!rights.mayTeach) return null
  switch (patch.status) {
    case 'proposed':
      return <Review patch={patch} />
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

function Review({ patch }: { patch: Patch }) {
  const { reflection } = useOpenReflection()
  const review = useReview(reflection.id, patch)
  const say = (said: ReviewPatch) => review.isPending || review.mutate(said)
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <Button look="main" aria-disabled={review.isPending} onClick={() => say('approve')}>
          Approve
        </Button>
        <Button aria-disabled={review.isPending} onClick={() => say('reject')}>
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

import { untilPatch } from '@parley/api-client'
import { type Fact, PlatformError, ProposeCorrection } from '@parley/contracts'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useConsoleHost } from '../../app/console-host.ts'
import { TextField } from '../../ui/field.tsx'
import { Question } from '../../ui/question.tsx'
import { useOpenReflection } from '../open-reflection.ts'
import { useReflectionChange } from '../use-reflection.ts'

/** Says how a fact is instead. What comes of it waits among the patches. */
export function CorrectFact({ fact, onClose }: { fact: Fact; onClose: () => void }) {
  const { id: reflectionId } = useOpenReflection().reflection
  const { keep } = useConsoleHost()
  const draft = `reflection.${reflectionId}.correction.${fact.id}`
  const [correction, setCorrection] = useState(() => keep.read(draft) ?? '')
  const correct = useReflectionChange(reflectionId, async (reflections) => {
    const { patchId } = await reflections.correct({ reflectionId, fact: fact.id, correction })
    keep.write(draft, undefined)
    const patch = await untilPatch(reflections, { reflectionId, patchId }, () => true)
    if (patch.status !== 'rejected') return
    const why = patch.findings.map(({ message }) => message).join(' ')
    throw new PlatformError('validation', { message: why || 'There is nothing to correct.' })
  })
  if (correct.isSuccess) {
    return (
      <p role="status" className="text-sm leading-6">
        Your correction waits for approval:{' '}
        <Link
          to="/reflections/$reflectionId/patches"
          params={{ reflectionId }}
          className="text-accent underline underline-offset-2"
        >
          go to the patches
        </Link>
      </p>
    )
  }
  return (
    <Question
      label={`Correct: ${fact.statement}`}
      yes={correct.isPending ? 'Sending…' : 'Propose it'}
      no="Leave it as it is"
      look="main"
      mayYes={correction.trim() !== ''}
      startsAt="field"
      doing={{ ...correct, mutate: () => correct.mutate() }}
      onClose={onClose}
    >
      <TextField
        label="What is right"
        help="As a sentence, such as “Ada lives in Bergen.” It counts once it is approved."
        autoFocus
        maxLength={ProposeCorrection.shape.correction.maxLength ?? undefined}
        value={correction}
        onChange={(event) => {
          setCorrection(event.target.value)
          keep.write(draft, event.target.value || undefined)
        }}
      />
    </Question>
  )
}

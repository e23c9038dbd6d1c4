import type { Fact } from '@parley/contracts'
import { Button } from '../../ui/button.tsx'
import { timeInWords } from '../../ui/time-in-words.ts'
import { useOpener } from '../../ui/use-opener.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { QuoteView } from '../quote-view.tsx'
import { CorrectFact } from './correct-fact.tsx'
import { FactHistory } from './fact-history.tsx'
import { type FactStanding, factStanding } from './fact-standing.ts'
import { whenInWords } from './when-in-words.ts'

const STANDINGS: Record<FactStanding, string> = {
  active: 'active',
  repeated: 'bears out another fact that says the same',
  superseded: 'superseded',
  candidate: 'candidate',
  rejected: 'rejected',
}

/** One fact on the time line: when it was so, what it says, what bears it out, and what it was before. */
export function FactView({ fact }: { fact: Fact }) {
  const { statement, namespace, confidence, supersededAt, evidence } = fact
  const { rights } = useOpenReflection()
  const correcting = useOpener()
  const past = useOpener()
  const standing = factStanding(fact)
  const mayCorrect = rights.mayTeach && standing === 'active'
  const hasPast = fact.supersedesFactId !== undefined || fact.supersededBy !== undefined
  return (
    <div data-state={standing} className="grid gap-x-6 gap-y-1 py-3 sm:grid-cols-[9rem_minmax(0,1fr)]">
      <p className="text-soft text-sm leading-6">{whenInWords(fact)}</p>
      <div className="flex min-w-0 flex-col gap-2">
        <div className="flex items-start gap-3">
          <p className={`min-w-0 flex-1 leading-6 wrap-anywhere ${standing === 'active' ? '' : 'text-soft'}`}>
            {visibleText(statement)}
          </p>
          {hasPast && (
            <Button look="bare" className="-my-1.5" aria-label={`History of: ${statement}`} {...past.opener}>
              History
            </Button>
          )}
          {mayCorrect && (
            <Button
              look="bare"
              className="-my-1.5"
              aria-label={`Correct: ${statement}`}
              {...correcting.opener}
            >
              Correct
            </Button>
          )}
        </div>
        {evidence.map((each, index) => (
          <QuoteView key={index} evidence={each} />
        ))}
        <p className="text-soft text-xs leading-5 wrap-anywhere">
          <span className={standing === 'active' ? 'text-accent' : 'text-ink font-medium'}>
            {STANDINGS[standing]}
          </span>
          {standing === 'superseded' && supersededAt && (
            <>
              {' since '}
              <time dateTime={supersededAt}>{timeInWords(supersededAt)}</time>
            </>
          )}
          {' · '}
          <span className="font-mono">{namespace}</span> · confidence {Math.round(confidence * 100)} %
        </p>
        {past.isOpen && <FactHistory fact={fact} />}
        {mayCorrect && correcting.isOpen && <CorrectFact fact={fact} onClose={correcting.close} />}
      </div>
    </div>
  )
}

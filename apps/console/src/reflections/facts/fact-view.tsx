import type { Fact } from '@parley/contracts'
import { Button } from '../../ui/button.tsx'
import { timeInWords } from '../../ui/time-in-words.ts'
import { useOpener } from '../../ui/use-opener.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { QuoteView } from '../quote-view.tsx'
import { CorrectFact } from './correct-fact.tsx'
import { type FactStanding, factStanding } from './fact-standing.ts'
import { whenInWords } from './when-in-words.ts'

const STANDINGS: Record<FactStanding, string> = {
  active: 'active',
  repeated: 'bears out another fact that says the same',
  superseded: 'superseded',
  candidate: 'candidate',
  rejected: 'rejected',
}

export function FactView({ fact }: { fact: Fact }) {
  const { statement, namespace, confidence, supersededAt, evidence } = fact
  const { rights } = useOpenReflection()
  const correcting = useOpener()
  const standing = factStanding(fact)
  const when = whenInWords(fact)
  const mayCorrect = rights.mayTeach && standing === 'active'
  return (
    <li data-state={standing} className="flex flex-col gap-2 py-3">
      <div className="flex items-start gap-3">
        <p className={`min-w-0 flex-1 leading-6 wrap-anywhere ${standing === 'active' ? '' : 'text-soft'}`}>
          {visibleText(statement)}
        </p>
        {mayCorrect && (
          <Button look="bare" aria-label={`Correct: ${statement}`} {...correcting.opener}>
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
        {when && ` · ${when}`}
      </p>
      {mayCorrect && correcting.isOpen && <CorrectFact fact={fact} onClose={correcting.close} />}
    </li>
  )
}

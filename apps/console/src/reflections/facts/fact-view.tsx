import type { Fact } from '@parley/contracts'
import { visibleText } from '../../ui/visible-text.ts'
import { QuoteView } from '../quote-view.tsx'
import { factStanding } from './fact-standing.ts'
import { whenInWords } from './when-in-words.ts'

export function FactView({ fact }: { fact: Fact }) {
  const { statement, namespace, confidence, supersededAt, evidence } = fact
  const standing = factStanding(fact)
  const when = whenInWords(fact)
  return (
    <li data-state={standing} className="flex flex-col gap-2 py-3">
      <p className={`leading-6 wrap-anywhere ${standing === 'active' ? '' : 'text-soft'}`}>
        {visibleText(statement)}
      </p>
      {evidence.map((each, index) => (
        <QuoteView key={index} evidence={each} />
      ))}
      <p className="text-soft text-xs leading-5 wrap-anywhere">
        <span className={standing === 'active' ? 'text-accent' : 'text-ink font-medium'}>{standing}</span>
        {standing === 'superseded' && supersededAt && (
          <>
            {' since '}
            <time dateTime={supersededAt}>{new Date(supersededAt).toLocaleString()}</time>
          </>
        )}
        {' · '}
        <span className="font-mono">{namespace}</span> · confidence {Math.round(confidence * 100)} %
        {when && ` · ${when}`}
      </p>
    </li>
  )
}

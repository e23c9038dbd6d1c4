import type { Finding, Patch } from '@parley/contracts'
import { DiffLineView } from '../../ui/diff-line-view.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { QuoteView } from '../quote-view.tsx'
import { type FactChange, patchChanges } from './patch-changes.ts'
import { RULES } from './rules.ts'

/** What a patch adds and ends, line by line, with the words behind it and what the rules found. */
export function PatchChangesView({ patch }: { patch: Patch }) {
  const { changes, ended, findings } = patchChanges(patch)
  return (
    <div className="flex flex-col gap-3">
      <Findings findings={findings} />
      <ul aria-label="What it changes" className="flex flex-col gap-3">
        {ended.map(({ id, statement }) => (
          <li key={id} className="text-sm leading-6">
            <DiffLineView kind="removed" text={statement} />
          </li>
        ))}
        {changes.map(({ kind, fact, inPlaceOf, findings: found }) => (
          <li key={fact.id} className="flex flex-col gap-1.5 text-sm leading-6">
            <div>
              {inPlaceOf && <DiffLineView kind="removed" text={inPlaceOf.statement} />}
              <DiffLineView kind={LINES[kind]} text={fact.statement} />
              {kind !== 'added' && <p className="text-soft ps-7">{NOTES[kind]}</p>}
            </div>
            <div className="flex flex-col gap-1 ps-7">
              {fact.evidence.map((evidence, index) => (
                <QuoteView key={index} evidence={evidence} />
              ))}
              <Findings findings={found} />
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}

const LINES: Record<FactChange['kind'], 'added' | 'same'> = {
  added: 'added',
  repeated: 'same',
  'left-out': 'same',
}

const NOTES: Record<Exclude<FactChange['kind'], 'added'>, string> = {
  repeated: 'is known from another source, and is borne out',
  'left-out': 'is left out',
}

const SEVERITIES: Record<Finding['severity'], { readonly says: string; readonly look: string }> = {
  reject: { says: 'Does not pass', look: 'text-alarm' },
  ask: { says: 'Look at this', look: 'text-ink' },
  note: { says: 'Note', look: 'text-soft' },
}

function Findings({ findings }: { findings: readonly Finding[] }) {
  if (findings.length === 0) return null
  return (
    <ul aria-label="What the rules found" className="flex flex-col gap-1 text-sm leading-6">
      {findings.map(({ rule, severity, message }, index) => (
        <li key={index} className={`wrap-anywhere ${SEVERITIES[severity].look}`}>
          <strong className="font-semibold">
            {SEVERITIES[severity].says}, {RULES[rule]}:
          </strong>{' '}
          {visibleText(message)}
        </li>
      ))}
    </ul>
  )
}

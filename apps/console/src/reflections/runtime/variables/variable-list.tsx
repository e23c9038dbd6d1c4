import type { LookedVariable, VariableFate } from '@parley/contracts'
import { visibleText } from '../../../ui/visible-text.ts'
import { Mark } from '../runtime-frame.tsx'
import { byImportance, formatCount } from './budget.tsx'

/** All variables, most important first; those not sent are listed below. */
export function VariableList({ variables }: { variables: readonly LookedVariable[] }) {
  const ordered = byImportance(variables)
  return (
    <>
      <Group title="Sent" variables={ordered.filter(({ value }) => value !== '')} />
      <Group title="Not sent" variables={ordered.filter(({ value }) => value === '')} />
    </>
  )
}

function Group({ title, variables }: { title: string; variables: readonly LookedVariable[] }) {
  if (variables.length === 0) return null
  return (
    <section aria-label={title} className="flex flex-col gap-2">
      <h3 className="font-serif">
        {title} <span className="text-soft font-sans text-sm">{variables.length}</span>
      </h3>
      <ul aria-label={`Variables: ${title}`} className="divide-line border-line divide-y border-y">
        {variables.map((variable) => (
          <VariableRow key={variable.name} variable={variable} />
        ))}
      </ul>
    </section>
  )
}

function VariableRow({ variable: { name, fate, why, rank, value, whole } }: { variable: LookedVariable }) {
  const { label, look } = OUTCOMES[fate]
  return (
    <li data-variable={name} data-fate={fate} className="flex flex-col gap-1 py-2.5 text-sm leading-6">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <code className="font-mono text-[0.8125rem] wrap-anywhere">{name}</code>
        <Mark look={look}>{label}</Mark>
        <span className="text-soft min-w-0 max-sm:order-last max-sm:basis-full">{why}</span>
        <span className="text-soft ms-auto text-xs whitespace-nowrap tabular-nums">
          {rank === undefined ? 'never cut' : `rank ${rank}`} · {lengthInWords(value.length, whole)}
        </span>
      </div>
      {value !== '' && <Value name={name} value={value} />}
    </li>
  )
}

const lengthInWords = (sent: number, whole: number): string =>
  sent === whole
    ? `${formatCount(sent)} characters`
    : `${formatCount(sent)} of ${formatCount(whole)} characters`

const MAX_INLINE_LENGTH = 120

/** A short value is shown directly; a long one can be opened. */
function Value({ name, value }: { name: string; value: string }) {
  const box =
    'bg-shade rounded-sm px-2.5 py-1.5 font-mono text-xs leading-5 wrap-anywhere whitespace-pre-wrap'
  if (value.length <= MAX_INLINE_LENGTH && !value.includes('\n'))
    return <p className={box}>{visibleText(value)}</p>
  return (
    <details>
      <summary className="text-accent min-h-6 text-sm max-sm:min-h-11">
        Value<span className="sr-only"> of {name}</span>
      </summary>
      <div
        role="group"
        aria-label={`Value of ${name}`}
        tabIndex={0}
        className={`${box} max-h-96 overflow-auto`}
      >
        {visibleText(value)}
      </div>
    </details>
  )
}

interface OutcomeLabel {
  readonly label: string
  readonly look: 'good' | 'bad' | 'quiet'
}

/** The label of each outcome. */
const OUTCOMES: Readonly<Record<VariableFate, OutcomeLabel>> = {
  sent: { label: 'Sent', look: 'good' },
  cut: { label: 'Cut', look: 'bad' },
  dropped: { label: 'Dropped', look: 'bad' },
  unknown: { label: 'No value', look: 'quiet' },
  missed: { label: 'Not loaded', look: 'bad' },
  withheld: { label: 'Not for this session', look: 'quiet' },
}

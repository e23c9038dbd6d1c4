import type { LookedVariable, VariableFate } from '@parley/contracts'
import { visibleText } from '../../../ui/visible-text.ts'
import { Mark } from '../runtime-frame.tsx'
import { bySurvival, count } from './budget.tsx'

/** Every variable, what survives longest first; what is not sent stands below. */
export function VariableList({ variables }: { variables: readonly LookedVariable[] }) {
  const ordered = bySurvival(variables)
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
  const { label, look } = FATES[fate]
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
  sent === whole ? `${count(sent)} characters` : `${count(sent)} of ${count(whole)} characters`

const SHORT = 120

/** A short value stands there; a long one is opened. */
function Value({ name, value }: { name: string; value: string }) {
  const box =
    'bg-shade rounded-sm px-2.5 py-1.5 font-mono text-xs leading-5 wrap-anywhere whitespace-pre-wrap'
  if (value.length <= SHORT && !value.includes('\n')) return <p className={box}>{visibleText(value)}</p>
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

interface FateInWords {
  readonly label: string
  readonly look: 'good' | 'bad' | 'quiet'
}

/** What becomes of a variable. */
const FATES: Readonly<Record<VariableFate, FateInWords>> = {
  sent: { label: 'Sent', look: 'good' },
  cut: { label: 'Cut', look: 'bad' },
  dropped: { label: 'Left out', look: 'bad' },
  unknown: { label: 'Not known', look: 'quiet' },
  missed: { label: 'Not loaded', look: 'bad' },
  withheld: { label: 'Not for this session', look: 'quiet' },
}

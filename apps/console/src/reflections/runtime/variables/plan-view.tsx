import type { VariablesLook } from '@parley/contracts'
import type { ReactNode } from 'react'
import { visibleText } from '../../../ui/visible-text.ts'
import { Mark } from '../mark.tsx'
import { SURFACES } from '../surfaces.ts'

type Plan = VariablesLook['plan']

/** Whether such a session would start, and as what. */
export function PlanView({ look: { plan, budget, warnings } }: { look: VariablesLook }) {
  return (
    <section aria-label="Plan" className="flex flex-col gap-3 text-sm leading-6">
      <div className="flex flex-wrap items-center gap-3">
        <h3 className="font-serif text-base">Plan</h3>
        {plan.kind === 'refused' || budget.isOver ? (
          <Mark look="bad">Refused</Mark>
        ) : (
          <Mark look="good">Allowed</Mark>
        )}
      </div>
      {plan.kind === 'refused' ? <Refused plan={plan} /> : <Allowed plan={plan} />}
      {budget.isOver && (
        <p className="text-alarm max-w-prose">
          What can never be cut takes more than {budget.most} characters, so no session would start.
        </p>
      )}
      {warnings.map(({ message }) => (
        <p key={message} className="max-w-prose">
          {visibleText(message)}
        </p>
      ))}
    </section>
  )
}

const Refused = ({ plan }: { plan: Extract<Plan, { readonly kind: 'refused' }> }) => (
  <>
    <p className="max-w-prose">{visibleText(plan.message)}</p>
    {plan.because.length > 0 && (
      <ul className="list-disc ps-5">
        {plan.because.map((why) => (
          <li key={why}>{visibleText(why)}</li>
        ))}
      </ul>
    )}
    <details className="text-soft">
      <summary className="hover:text-ink w-fit py-1">As a program is told</summary>
      <code className="font-mono text-xs">{plan.code}</code>
    </details>
  </>
)

const INGESTION = {
  ingest: 'Becomes a source once it has ended',
  'keep-only': 'Is kept, and not learned from',
  'off-record': 'Nothing is kept',
} as const

function Allowed({ plan }: { plan: Extract<Plan, { readonly kind: 'allowed' }> }) {
  const { speaker } = plan
  return (
    <dl className="grid max-w-4xl gap-x-6 gap-y-2 sm:grid-cols-[8rem_minmax(0,1fr)]">
      <Told name="May call">{plan.actions.join(', ')}</Told>
      <Told name="May look in">{visibleText(plan.namespaces.join(', '))}</Told>
      <Told name="What is said">{INGESTION[plan.ingestion]}</Told>
      <Told name="Surface">{SURFACES[plan.surface].label}</Told>
      <Told name="Who speaks">
        {speaker.agent === 'own' ? 'By a promoted prompt' : 'An agent that takes its persona from variables'}
        {speaker.packKind && <> · pack {speaker.packKind}</>}
        {speaker.agentId && (
          <>
            {' · '}
            <code className="font-mono text-xs wrap-anywhere">{speaker.agentId}</code>
          </>
        )}
        {speaker.note && <span className="text-soft block">{visibleText(speaker.note)}</span>}
      </Told>
    </dl>
  )
}

const Told = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="contents max-sm:block">
    <dt className="text-soft">{name}</dt>
    <dd className="min-w-0 wrap-anywhere">{children}</dd>
  </div>
)

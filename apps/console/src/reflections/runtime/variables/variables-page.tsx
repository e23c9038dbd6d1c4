import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { LookAtVariables, VariablesLook } from '@parley/contracts'
import { useConsoleHost } from '../../../app/console-host.ts'
import { PageBody, Section } from '../../../ui/page-body.tsx'
import { visibleText } from '../../../ui/visible-text.ts'
import { useOpenReflection } from '../../open-reflection.ts'
import { reflectionKey } from '../../reflection-keys.ts'
import { Mark, ReadState, SURFACES } from '../runtime-frame.tsx'
import { BudgetBar, BudgetField } from './budget.tsx'
import { LookForm } from './look-form.tsx'
import type { LookInAddress } from './look-in-address.ts'
import { VariableList } from './variable-list.tsx'

/** What a session of some kind would be allowed and told, before there is one. */
export function VariablesPage({ look }: { look: LookInAddress }) {
  const { rights } = useOpenReflection()
  return (
    <PageBody width="wide">
      <Section title="Variables">
        <p className="text-soft max-w-prose text-sm leading-6">
          Choose a session, and see what it would be told at its start. It is worked out as for a real one,
          but nothing is started, kept or signed.
        </p>
        {rights.mayManage ? (
          <Inspector look={look} />
        ) : (
          <p className="text-sm leading-6">
            Variables hold what is private, so only admins of this reflection may look at them.
          </p>
        )}
      </Section>
    </PageBody>
  )
}

function Inspector({ look }: { look: LookInAddress }) {
  const { client } = useConsoleHost()
  const { id: reflectionId } = useOpenReflection().reflection
  const wanted = lookWanted(look)
  const looked = useQuery({
    queryKey: [...reflectionKey(reflectionId), 'variables', wanted],
    queryFn: () => client.reflections.variables({ reflectionId, ...wanted }),
    placeholderData: keepPreviousData,
    retry: false,
  })
  return (
    <>
      <LookForm look={look} />
      <ReadState reading={looked} waiting="Working out what it would be told…" />
      {looked.data && !looked.error && (
        <div aria-busy={looked.isPlaceholderData} className="flex flex-col gap-8">
          <Looked looked={looked.data} look={look} />
        </div>
      )}
    </>
  )
}

function Looked({ looked, look }: { looked: VariablesLook; look: LookInAddress }) {
  return (
    <>
      <PlanView look={looked} />
      {looked.plan.kind === 'allowed' && (
        <>
          <section aria-label="Budget" className="flex flex-col gap-3">
            <h3 className="font-serif">Budget</h3>
            <BudgetBar look={looked} />
            <BudgetField look={look} />
          </section>
          <VariableList variables={looked.variables} />
        </>
      )}
    </>
  )
}

/** What is asked of the server: of what was chosen, only what such a session has. */
export function lookWanted({ link, ...look }: LookInAddress): Partial<LookAtVariables> {
  const { audience = 'private', channel = 'voice', mode, role, surface, agent, offRecord, budget } = look
  const isPublic = audience === 'public'
  return {
    audience,
    channel,
    ...(mode && { mode }),
    ...(role && { role }),
    ...(offRecord && { offRecord }),
    ...(budget !== undefined && { budget }),
    ...(surface && !isPublic && { surface }),
    ...(agent && !isPublic && channel === 'voice' && { agent }),
    ...(link !== undefined && isPublic && { linkId: link }),
  }
}

type Plan = VariablesLook['plan']

/** Whether such a session would start, and as what. */
function PlanView({ look: { plan, budget, warnings } }: { look: VariablesLook }) {
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

import { keepPreviousData } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { PreviewVariables, PreviewedVariable, VariableFate, VariablesPreview } from '@parley/contracts'
import { getRouteApi } from '@tanstack/react-router'
import { Intro, PageBody, Section } from '../../../ui/page-body.tsx'
import { CodeBox } from '../../../ui/code-box.tsx'
import { escapeInvisible } from '../../../ui/escape-invisible.ts'
import { useOpenReflection } from '../../open-reflection.ts'
import { QueryState } from '../../../ui/query-state.tsx'
import { useReflectionQuery } from '../../use-reflection-query.ts'
import { Mark, SURFACES, type MarkLabel } from '../runtime-frame.tsx'
import { RECORD_LABELS } from '../../../session/text-labels.ts'
import { BudgetBar, BudgetField, sortByImportance, formatCount } from './budget.tsx'
import type { PreviewSession } from '../../../app/search-params.ts'
import { SessionForm } from './session-form.tsx'

const route = getRouteApi('/reflections/$reflectionId/runtime/variables')

/** Previews the permissions and variables of a session, without starting one. */
export function VariablesPage() {
  const session = route.useSearch()
  const { rights } = useOpenReflection()
  return (
    <PageBody width="wide">
      <Section title="Variables">
        <Intro>
          Choose a kind of session to preview the variables that it would start with. Nothing is started or
          saved.
        </Intro>
        {rights.mayManage ? (
          <Inspector session={session} />
        ) : (
          <p className="text-sm leading-6">
            Variables contain private content, so only admins of this reflection can see them.
          </p>
        )}
      </Section>
    </PageBody>
  )
}

function Inspector({ session }: { session: PreviewSession }) {
  const query = toVariablesQuery(session)
  const preview = useReflectionQuery(
    ['variables', query],
    (reflections, reflectionId) => reflections.variables({ reflectionId, ...query }),
    { placeholderData: keepPreviousData, retry: false },
  )
  return (
    <>
      <SessionForm session={session} />
      <QueryState query={preview} loadingText="Loading the preview…" />
      {preview.data && !preview.error && (
        <div aria-busy={preview.isPlaceholderData} className="flex flex-col gap-8">
          <Preview preview={preview.data} session={session} />
        </div>
      )}
    </>
  )
}

function Preview({ preview, session }: { preview: VariablesPreview; session: PreviewSession }) {
  return (
    <>
      <PlanView preview={preview} />
      {preview.plan.kind === 'allowed' && (
        <>
          <section aria-label="Budget" className="flex flex-col gap-3">
            <h3 className="font-serif">Budget</h3>
            <BudgetBar preview={preview} />
            <BudgetField session={session} />
          </section>
          <VariableList variables={preview.variables} />
        </>
      )}
    </>
  )
}

/** The query for the server, without choices that do not apply to this kind of session. */
export function toVariablesQuery({ link, ...session }: PreviewSession): Partial<PreviewVariables> {
  const { audience = 'private', channel = 'voice', mode, role, surface, agent, offRecord, budget } = session
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

type PreviewedPlan = VariablesPreview['plan']

/** Whether such a session would start, and its permissions. */
function PlanView({ preview: { plan, budget, warnings } }: { preview: VariablesPreview }) {
  return (
    <section aria-label="Plan" className="flex flex-col gap-3 text-sm leading-6">
      <div className="flex flex-wrap items-center gap-3">
        <h3 className="font-serif text-base">Plan</h3>
        {plan.kind === 'refused' || budget.isOver ? (
          <Mark tone="bad">Refused</Mark>
        ) : (
          <Mark tone="good">Allowed</Mark>
        )}
      </div>
      {plan.kind === 'refused' ? <RefusedPlan plan={plan} /> : <AllowedPlan plan={plan} />}
      {budget.isOver && (
        <p className="text-alarm max-w-prose">
          Variables that are never cut take more than {budget.most} characters, so no session would start.
        </p>
      )}
      {warnings.map(({ message }) => (
        <p key={message} className="max-w-prose">
          {escapeInvisible(message)}
        </p>
      ))}
    </section>
  )
}

const RefusedPlan = ({ plan }: { plan: Extract<PreviewedPlan, { readonly kind: 'refused' }> }) => (
  <>
    <p className="max-w-prose">{escapeInvisible(plan.message)}</p>
    {plan.because.length > 0 && (
      <ul className="list-disc ps-5">
        {plan.because.map((reason) => (
          <li key={reason}>{escapeInvisible(reason)}</li>
        ))}
      </ul>
    )}
    <details className="text-soft">
      <summary className="hover:text-ink w-fit py-1">Error code</summary>
      <code className="font-mono text-xs">{plan.code}</code>
    </details>
  </>
)

function AllowedPlan({ plan }: { plan: Extract<PreviewedPlan, { readonly kind: 'allowed' }> }) {
  const { speaker: agent } = plan
  return (
    <dl className="grid max-w-4xl gap-x-6 gap-y-2 sm:grid-cols-[8rem_minmax(0,1fr)]">
      <PlanDetail name="Tools">{plan.actions.join(', ')}</PlanDetail>
      <PlanDetail name="Folders">{escapeInvisible(plan.namespaces.join(', '))}</PlanDetail>
      <PlanDetail name="Transcript">{RECORD_LABELS[plan.ingestion]}</PlanDetail>
      <PlanDetail name="Surface">{SURFACES[plan.surface].label}</PlanDetail>
      <PlanDetail name="Agent">
        {agent.agent === 'own' ? 'Own agent, current version' : 'Generic agent, persona from variables'}
        {agent.packKind && <> · pack {agent.packKind}</>}
        {agent.agentId && (
          <>
            {' · '}
            <code className="font-mono text-xs wrap-anywhere">{agent.agentId}</code>
          </>
        )}
        {agent.note && <span className="text-soft block">{escapeInvisible(agent.note)}</span>}
      </PlanDetail>
    </dl>
  )
}

const PlanDetail = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="contents max-sm:block">
    <dt className="text-soft">{name}</dt>
    <dd className="min-w-0 wrap-anywhere">{children}</dd>
  </div>
)

/** All variables, most important first; those not sent are listed below. */
function VariableList({ variables }: { variables: readonly PreviewedVariable[] }) {
  const ordered = sortByImportance(variables)
  return (
    <>
      <VariableGroup title="Sent" variables={ordered.filter(({ value }) => value !== '')} />
      <VariableGroup title="Not sent" variables={ordered.filter(({ value }) => value === '')} />
    </>
  )
}

function VariableGroup({ title, variables }: { title: string; variables: readonly PreviewedVariable[] }) {
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

function VariableRow({ variable: { name, fate, why, rank, value, whole } }: { variable: PreviewedVariable }) {
  const { label, tone } = OUTCOMES[fate]
  return (
    <li data-variable={name} data-fate={fate} className="flex flex-col gap-1 py-2.5 text-sm leading-6">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <code className="font-mono text-[0.8125rem] wrap-anywhere">{name}</code>
        <Mark tone={tone}>{label}</Mark>
        <span className="text-soft min-w-0 max-sm:order-last max-sm:basis-full">{why}</span>
        <span className="text-soft ms-auto text-xs whitespace-nowrap tabular-nums">
          {rank === undefined ? 'never cut' : `rank ${rank}`} · {formatLength(value.length, whole)}
        </span>
      </div>
      {value !== '' && <VariableValue name={name} value={value} />}
    </li>
  )
}

const formatLength = (sent: number, whole: number): string =>
  sent === whole
    ? `${formatCount(sent)} characters`
    : `${formatCount(sent)} of ${formatCount(whole)} characters`

const MAX_INLINE_LENGTH = 120

/** A short value is shown directly; a long one can be opened. */
function VariableValue({ name, value }: { name: string; value: string }) {
  const isShort = value.length <= MAX_INLINE_LENGTH && !value.includes('\n')
  if (isShort) return <CodeBox label={`Value of ${name}`}>{value}</CodeBox>
  return (
    <details>
      <summary className="text-accent min-h-6 text-sm max-sm:min-h-11">
        Value<span className="sr-only"> of {name}</span>
      </summary>
      <CodeBox label={`Value of ${name}`} className="max-h-96 px-2.5">
        {value}
      </CodeBox>
    </details>
  )
}

const OUTCOMES: Readonly<Record<VariableFate, MarkLabel>> = {
  sent: { label: 'Sent', tone: 'good' },
  cut: { label: 'Cut', tone: 'bad' },
  dropped: { label: 'Dropped', tone: 'bad' },
  unknown: { label: 'No value', tone: 'quiet' },
  missed: { label: 'Not loaded', tone: 'bad' },
  withheld: { label: 'Not for this session', tone: 'quiet' },
}

import type { VariablesLook } from '@parley/contracts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useConsoleHost } from '../../../app/console-host.ts'
import { PageBody, Section } from '../../../ui/page-body.tsx'
import { useOpenReflection } from '../../open-reflection.ts'
import { reflectionKey } from '../../reflection-keys.ts'
import { ReadState } from '../read-state.tsx'
import { BudgetBar } from './budget-bar.tsx'
import { BudgetField } from './budget-field.tsx'
import { LookForm } from './look-form.tsx'
import type { LookInAddress } from './look-in-address.ts'
import { lookWanted } from './look-wanted.ts'
import { PlanView } from './plan-view.tsx'
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

import { readsInWords } from '@parley/contracts'
import { Button } from '../../ui/button.tsx'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { PageBody, Section } from '../../ui/page-body.tsx'
import { useOpenReflection } from '../open-reflection.ts'
import { AddNamespaceForm } from './add-namespace-form.tsx'
import { AtAGlance } from './at-a-glance.tsx'
import { APPROVALS } from './approvals.ts'
import { LeaveReflection } from './leave-reflection.tsx'
import { NamespaceRow } from './namespace-row.tsx'
import { RemoveReflection } from './remove-reflection.tsx'
import { SettingsForm } from './settings-form.tsx'
import { useSummary } from './use-summary.ts'

export function OverviewPage() {
  const { reflection, rights } = useOpenReflection()
  return (
    <PageBody>
      <AtAGlance />
      <Section title="Namespaces">
        <p className="text-soft max-w-prose text-sm leading-6">
          Every source is in one namespace. What is in a public one may be told to anybody who talks with this
          reflection; the rest is for its members.
          {!rights.mayManage && ` You ${readsInWords(reflection.reads ?? 'all', reflection.namespaces)}.`}
        </p>
        <ul aria-label="Namespaces" className="divide-line border-line divide-y border-y">
          {reflection.namespaces.map((namespace) => (
            <NamespaceRow key={namespace.name} namespace={namespace} />
          ))}
        </ul>
        {rights.mayManage && <AddNamespaceForm reflectionId={reflection.id} />}
      </Section>
      {rights.mayManage ? (
        <>
          <Section title="Settings">
            <SettingsForm reflection={reflection} />
          </Section>
          <Section title="Delete">
            <RemoveReflection reflection={reflection} />
          </Section>
        </>
      ) : (
        <Section title="What is learned">
          <p className="text-sm">{APPROVALS[reflection.approval].label}</p>
        </Section>
      )}
      {/* Who owns it says so under Members, where somebody else is made an owner first. */}
      {rights.role !== 'owner' && (
        <Section title="Leave">
          <LeaveReflection reflection={reflection} />
        </Section>
      )}
      <SummaryFailure />
    </PageBody>
  )
}

/** At the end, so that a look that failed moves nothing of what the one before told. */
function SummaryFailure() {
  const { error, refetch } = useSummary()
  if (!error) return null
  return (
    <Notice action={<Button onClick={() => void refetch()}>Try again</Button>}>{messageOf(error)}</Notice>
  )
}

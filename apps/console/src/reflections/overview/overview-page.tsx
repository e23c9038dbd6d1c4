import { PageBody, Section } from '../../ui/page-body.tsx'
import { useOpenReflection } from '../open-reflection.ts'
import { AddNamespaceForm } from './add-namespace-form.tsx'
import { APPROVALS } from './approvals.ts'
import { NamespaceRow } from './namespace-row.tsx'
import { RemoveReflection } from './remove-reflection.tsx'
import { SettingsForm } from './settings-form.tsx'

export function OverviewPage() {
  const { reflection, rights } = useOpenReflection()
  return (
    <PageBody>
      <Section title="Namespaces">
        <p className="text-soft max-w-prose text-sm leading-6">
          Every source is in one namespace. What is in a public one may be told to anybody who talks with this
          reflection; the rest is for its members.
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
    </PageBody>
  )
}

import { Button } from '../../ui/button.tsx'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { PageBody, Section } from '../../ui/page-body.tsx'
import { useOpenReflection } from '../open-reflection.ts'
import { useMembers } from '../use-reflection.ts'
import { AddMemberForm } from './add-member-form.tsx'
import { InviteForm } from './invite-form.tsx'
import { MemberRow } from './member-row.tsx'

export function MembersPage() {
  const { reflection, rights } = useOpenReflection()
  const { data: members, error, refetch } = useMembers(reflection.id)
  if (!rights.mayManage) {
    return (
      <PageBody>
        <p className="text-sm leading-6">
          Who is a member is for admins of this reflection to see and to say.
        </p>
      </PageBody>
    )
  }
  return (
    <PageBody>
      {!members && !error && <p className="animate-late text-soft text-sm">Loading…</p>}
      {members && (
        <ul aria-label="Members" className="divide-line border-line divide-y border-y">
          {members.map((member) => (
            <MemberRow key={member.personId} member={member} members={members} />
          ))}
        </ul>
      )}
      {members && (
        <>
          <p className="text-soft max-w-prose text-sm leading-6">
            A viewer reads and asks. An operator also adds and removes sources, and decides on patches; what
            people said in sessions is for admins. Both read the published namespaces and those chosen for
            them, and an operator works in the chosen ones. An admin also publishes and says who is a member.
            An owner may do everything.
          </p>
          <Section title="Invite somebody">
            <InviteForm />
          </Section>
          <Section title="Add somebody who is known here">
            <AddMemberForm members={members} />
          </Section>
        </>
      )}
      {error && (
        <Notice action={<Button onClick={() => void refetch()}>Try again</Button>}>{messageOf(error)}</Notice>
      )}
    </PageBody>
  )
}

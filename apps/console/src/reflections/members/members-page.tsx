import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { type Me, type Member, type MemberNamespaces, type MemberRole, PersonId } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { PageBody, Section } from '../../ui/page-body.tsx'
import { useOpenReflection } from '../open-reflection.ts'
import { rolesUpTo } from '../rights-of.ts'
import { useMembers, useReflectionChange } from '../use-reflections.ts'
import { InviteForm, ReadsChoice, RoleChoice, isReadByList } from './member-forms.tsx'
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

function AddMemberForm({ members }: { members: readonly Member[] }) {
  const { reflection, rights } = useOpenReflection()
  const [personId, setPersonId] = useState('')
  const [role, setRole] = useState<MemberRole>('viewer')
  const [reads, setReads] = useState<MemberNamespaces>([])
  const listId = useId()
  const others = useOthers(members)
  const person = PersonId.safeParse(personId.trim())
  const add = useReflectionChange(reflection.id, (reflections, wanted: PersonId) =>
    reflections.setMember({
      reflectionId: reflection.id,
      personId: wanted,
      role,
      ...(isReadByList(role) && { namespaces: reads }),
    }),
  )
  return (
    <form
      aria-label="Add a member"
      className="flex max-w-lg flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (person.success && !add.isPending) add.mutate(person.data, { onSuccess: () => setPersonId('') })
      }}
    >
      <TextField
        label="Their id"
        help="It starts with per_, and stands below their name where they are a member."
        placeholder="per_…"
        list={listId}
        spellCheck={false}
        autoCapitalize="none"
        value={personId}
        onChange={(event) => setPersonId(event.target.value)}
      />
      <datalist id={listId}>
        {others.map((other) => (
          <option key={other.personId} value={other.personId} label={other.label} />
        ))}
      </datalist>
      <div className="flex">
        <RoleChoice label="Their role" role={role} roles={rolesUpTo(rights.role)} onRole={setRole} />
      </div>
      <ReadsChoice role={role} reads={reads} onReads={setReads} />
      <div className="flex">
        <Button type="submit" aria-disabled={!person.success || add.isPending}>
          Add
        </Button>
      </div>
      {add.error && <Notice>{messageOf(add.error)}</Notice>}
    </form>
  )
}

const MOST_OFFERED = 200

/** Those who are known and no members yet; the API tells of them to admins of the server only. */
function useOthers(members: readonly Member[]): readonly Me[] {
  const { me, client } = useConsoleHost()
  const { data } = useQuery({
    queryKey: ['people'],
    queryFn: () => client.tokens.list({ limit: MOST_OFFERED }),
    enabled: me.role === 'owner' || me.role === 'admin',
  })
  const known = new Map((data?.items ?? []).map((person) => [person.personId, person]))
  for (const { personId } of members) known.delete(personId)
  return [...known.values()]
}

import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import {
  type Me,
  type Member,
  type MemberNamespaces,
  type MemberRole,
  PersonId,
  ROLES,
} from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Intro, PageBody, Section } from '../../ui/page-body.tsx'
import { useOpenReflection } from '../open-reflection.ts'
import { rolesUpTo } from '../rights.ts'
import { useMembers } from '../use-reflection-query.ts'
import { useReflectionChange } from '../use-reflections.ts'
import { InviteForm, FolderAccessChoice, RoleChoice } from './member-forms.tsx'
import { MemberRow } from './member-row.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { Form } from '../../ui/form.tsx'
import { Rows } from '../../ui/rows.tsx'
import { isAdmin } from '../../app/roles.ts'

export function MembersPage() {
  const { rights } = useOpenReflection()
  const query = useMembers()
  const { data: members } = query
  if (!rights.mayManage) {
    return (
      <PageBody>
        <p className="text-sm leading-6">Only admins of this reflection can see and manage its members.</p>
      </PageBody>
    )
  }
  return (
    <PageBody>
      {members && (
        <Rows aria-label="Members">
          {members.map((member) => (
            <MemberRow key={member.personId} member={member} members={members} />
          ))}
        </Rows>
      )}
      {members && (
        <>
          <Intro>
            Viewers can read and ask. Operators can also add and remove sources and review changes. Both see
            the public folders and the folders chosen for them; operators can only edit the chosen ones.
            Admins can also read transcripts, publish, and manage members. Owners can do everything.
          </Intro>
          <Section title="Invite a person">
            <InviteForm />
          </Section>
          <Section title="Add existing member">
            <AddMemberForm members={members} />
          </Section>
        </>
      )}
      <QueryState query={query} />
    </PageBody>
  )
}

function AddMemberForm({ members }: { members: readonly Member[] }) {
  const { reflection, rights } = useOpenReflection()
  const [personId, setPersonId] = useState('')
  const [role, setRole] = useState<MemberRole>('viewer')
  const [reads, setReads] = useState<MemberNamespaces>([])
  const listId = useId()
  const others = useNonMembers(members)
  const person = PersonId.safeParse(personId.trim())
  const add = useReflectionChange(reflection.id, (reflections, newMember: PersonId) =>
    reflections.setMember({
      reflectionId: reflection.id,
      personId: newMember,
      role,
      ...(ROLES[role].canBeLimited && { namespaces: reads }),
    }),
  )
  return (
    <Form
      aria-label="Add a member"
      className="flex max-w-lg flex-col gap-3"
      onSubmit={() => {
        if (person.success && !add.isPending) add.mutate(person.data, { onSuccess: () => setPersonId('') })
      }}
    >
      <TextField
        label="Person ID"
        help="Starts with per_. It is shown below their name in any reflection they belong to."
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
      <FolderAccessChoice role={role} reads={reads} onReads={setReads} />
      <div className="flex">
        <Button type="submit" aria-disabled={!person.success || add.isPending}>
          Add
        </Button>
      </div>
      <ErrorNotice error={add.error} />
    </Form>
  )
}

const MAX_SUGGESTIONS = 200

/** People on this server who are not members yet. Only server admins may list them. */
function useNonMembers(members: readonly Member[]): readonly Me[] {
  const { me, client } = useConsoleHost()
  const { data } = useQuery({
    queryKey: ['people'],
    queryFn: () => client.tokens.list({ limit: MAX_SUGGESTIONS }),
    enabled: isAdmin(me.role),
  })
  const known = new Map((data?.items ?? []).map((person) => [person.personId, person]))
  for (const { personId } of members) known.delete(personId)
  return [...known.values()]
}

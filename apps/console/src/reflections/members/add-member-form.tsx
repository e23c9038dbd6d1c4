import { type Me, type Member, type MemberNamespaces, type MemberRole, PersonId } from '@parley/contracts'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { useOpenReflection } from '../open-reflection.ts'
import { rolesUpTo } from '../rights-of.ts'
import { useReflectionChange } from '../use-reflection.ts'
import { isReadByList, ReadsChoice } from './reads-choice.tsx'
import { RoleChoice } from './role-choice.tsx'

export function AddMemberForm({ members }: { members: readonly Member[] }) {
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

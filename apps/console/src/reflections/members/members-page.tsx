import { useQuery } from '@tanstack/react-query'
import { useId, useState, useEffect, useRef } from 'react'
import {
  type Me,
  type Member,
  type MemberNamespaces,
  type MemberRole,
  PersonId,
  ROLES,
  type Invitation,
  formatReadAccess,
} from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Intro, PageBody, Section, Rows } from '../../ui/page-body.tsx'
import { useOpenReflection } from '../open-reflection.ts'
import { rolesUpTo, isAdmin } from '../../app/roles.ts'
import { useMembers } from '../use-reflection-query.ts'
import { useReflectionChange } from '../use-reflections.ts'
import { InviteForm, FolderAccessChoice, RoleChoice, NewInvitation } from './member-forms.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { Form, FormButtons } from '../../ui/form.tsx'
import { focusPage, useFocusAfter } from '../../ui/focus.ts'
import { ConfirmButton } from '../../ui/confirm-form.tsx'
import { formatTime } from '../../ui/format.ts'
import { useDisclosure } from '../../ui/use-disclosure.ts'

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
            <MemberListItem key={member.personId} member={member} members={members} />
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
  const people = new Map((data?.items ?? []).map((person) => [person.personId, person]))
  for (const { personId } of members) people.delete(personId)
  return [...people.values()]
}

function MemberListItem({ member, members }: { member: Member; members: readonly Member[] }) {
  const { me } = useConsoleHost()
  const { rights, reflection } = useOpenReflection()
  const reading = useDisclosure()
  const [invitation, setInvitation] = useState<Invitation>()
  const box = useRef<HTMLLIElement>(null)
  useFocusAfter(box, focusPage)
  const { roles, mayRemove } = findAllowedChanges(rights.role, members, member)
  const name = member.personId === me.personId ? `${member.label} (you)` : member.label
  return (
    <li ref={box} className="flex flex-col gap-3 py-2.5 text-sm">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <p className="min-w-40 flex-1 leading-6 wrap-anywhere">
          {name}
          <span className="text-soft block font-mono text-xs">{member.personId}</span>
          {member.invitedUntil !== undefined && (
            <span className="text-soft block text-xs">
              Invited until <time dateTime={member.invitedUntil}>{formatTime(member.invitedUntil)}</time>
            </span>
          )}
          <span className="text-soft block text-xs">
            {member.label} {formatReadAccess(member.namespaces, reflection.namespaces, 'folder')}.
          </span>
        </p>
        {roles.length === 0 ? (
          <p className="text-soft">{member.role}</p>
        ) : (
          <RoleForm member={member} roles={roles} />
        )}
        {mayRemove && ROLES[member.role].canBeLimited && (
          <Button variant="ghost" aria-label={`Folders that ${member.label} can read`} {...reading.button}>
            Folders
          </Button>
        )}
        {mayRemove && member.invitedUntil !== undefined && (
          <NewLinkButton member={member} onCreated={setInvitation} />
        )}
        {mayRemove && <RemoveButton member={member} />}
      </div>
      {invitation && <NewInvitation invitation={invitation} onClose={() => setInvitation(undefined)} />}
      {reading.isOpen && <FolderAccessForm member={member} onClose={reading.close} />}
    </li>
  )
}

/** Saved by a button, so that moving through the choices with the keyboard changes no role. */
function RoleForm({ member, roles }: { member: Member; roles: readonly MemberRole[] }) {
  const { reflection } = useOpenReflection()
  const [chosen, setChosen] = useState<MemberRole>()
  const role = chosen ?? member.role
  // Not right after saving: the old role would show until the member is reloaded.
  useEffect(() => setChosen(undefined), [member.role])
  const save = useReflectionChange(reflection.id, (reflections) =>
    reflections.setMember({ reflectionId: reflection.id, personId: member.personId, role }),
  )
  const isDisabled = role === member.role || save.isPending
  return (
    <Form className="flex flex-wrap items-center gap-2" isDisabled={isDisabled} onSubmit={save.mutate}>
      <RoleChoice label={`Role of ${member.label}`} role={role} roles={roles} onRole={setChosen} />
      <Button type="submit" aria-label={`Save the role of ${member.label}`} aria-disabled={isDisabled}>
        Save
      </Button>
      <ErrorNotice error={save.error} />
    </Form>
  )
}

/** Changes the folders that a viewer or operator can read. */
function FolderAccessForm({ member, onClose }: { member: Member; onClose: () => void }) {
  const { reflection } = useOpenReflection()
  const [reads, setReads] = useState<MemberNamespaces>(member.namespaces)
  const { personId, role, label } = member
  const save = useReflectionChange(reflection.id, async (reflections) => {
    await reflections.setMember({ reflectionId: reflection.id, personId, role, namespaces: reads })
    onClose()
  })
  return (
    <Form
      aria-label={`Folders that ${label} can read`}
      className="flex flex-col gap-3"
      isDisabled={save.isPending}
      onSubmit={save.mutate}
    >
      <FolderAccessChoice name={label} role={role} reads={reads} onReads={setReads} />
      <p className="text-soft text-sm">
        If {label} loses a folder, conversations that used it cannot continue.
      </p>
      <FormButtons aria-disabled={save.isPending} onCancel={onClose}>
        Save
      </FormButtons>
      <ErrorNotice error={save.error} />
    </Form>
  )
}

interface NewLinkProps {
  readonly member: Member
  readonly onCreated: (invitation: Invitation) => void
}

/** Replaces a lost invitation link. */
function NewLinkButton({ member, onCreated }: NewLinkProps) {
  const { id: reflectionId } = useOpenReflection().reflection
  const renew = useReflectionChange(reflectionId, async (reflections) =>
    onCreated(await reflections.inviteAgain({ reflectionId, personId: member.personId })),
  )
  return (
    <ConfirmButton
      label={`New link for ${member.label}`}
      text="New link"
      button={{ variant: 'ghost' }}
      yes="Create new link"
      variant="primary"
      action={renew}
    >
      <p>The old link of {member.label} stops working, and they are signed out everywhere they used it.</p>
    </ConfirmButton>
  )
}

function RemoveButton({ member }: { member: Member }) {
  const { reflection } = useOpenReflection()
  const remove = useReflectionChange(reflection.id, (reflections) =>
    reflections.removeMember({ reflectionId: reflection.id, personId: member.personId }),
  )
  return (
    <ConfirmButton
      label={`Remove ${member.label}`}
      text="Remove"
      button={{ variant: 'ghost' }}
      yes="Remove"
      action={remove}
    >
      <p>
        {member.label} loses access to this reflection. An invited person without another reflection is signed
        out permanently; others can be added again.
      </p>
    </ConfirmButton>
  )
}

interface AllowedChanges {
  /** The roles that can be assigned to this member; empty if theirs cannot be changed. */
  readonly roles: readonly MemberRole[]
  readonly mayRemove: boolean
}

const NO_CHANGES: AllowedChanges = { roles: [], mayRemove: false }

/** Nobody can change a member with a higher role, and the last owner stays owner. */
export function findAllowedChanges(
  ownRole: MemberRole | undefined,
  members: readonly Member[],
  { role }: Member,
): AllowedChanges {
  const roles = rolesUpTo(ownRole)
  if (!roles.includes(role)) return NO_CHANGES
  const isLastOwner = role === 'owner' && members.filter((member) => member.role === 'owner').length === 1
  return isLastOwner ? NO_CHANGES : { roles, mayRemove: true }
}

import { useState } from 'react'
import {
  type Invitation,
  type MemberNamespaces,
  type MemberRole,
  ROLES,
  formatReadAccess,
} from '@parley/contracts'
import { Button } from '../../ui/button.tsx'
import { CheckField, TextField } from '../../ui/field.tsx'
import { OneTimeLink } from '../../ui/one-time-link.tsx'
import { formatTime } from '../../ui/format.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { useReflectionChange } from '../use-reflections.ts'
import { rolesUpTo } from '../../app/roles.ts'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Form } from '../../ui/form.tsx'

/** Invites a new person by a link that signs them in. */
export function InviteForm() {
  const { reflection, rights } = useOpenReflection()
  const { id: reflectionId } = reflection
  const [name, setName] = useState('')
  const [role, setRole] = useState<MemberRole>('viewer')
  const [reads, setReads] = useState<MemberNamespaces>([])
  const [invitation, setInvitation] = useState<Invitation>()
  const label = name.trim()
  const invite = useReflectionChange(reflectionId, async (reflections) => {
    const namespaces = ROLES[role].canBeLimited && { namespaces: reads }
    setInvitation(await reflections.invite({ reflectionId, label, role, ...namespaces }))
    setName('')
    setReads([])
  })
  const isDisabled = label === '' || invite.isPending
  return (
    <>
      <Form
        aria-label="Invite a person"
        className="flex max-w-lg flex-col gap-3"
        isDisabled={isDisabled}
        onSubmit={invite.mutate}
      >
        <TextField
          label="Display name"
          help="They get a link that signs them in, and see only this reflection."
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <div className="flex">
          <RoleChoice label="Role" role={role} roles={rolesUpTo(rights.role)} onRole={setRole} />
        </div>
        <FolderAccessChoice
          {...(label !== '' && { name: label })}
          role={role}
          reads={reads}
          onReads={setReads}
        />
        <div className="flex">
          <Button type="submit" variant="primary" aria-disabled={isDisabled}>
            {invite.isPending ? 'Inviting…' : 'Invite'}
          </Button>
        </div>
        <ErrorNotice error={invite.error} />
      </Form>
      {invitation && <NewInvitation invitation={invitation} onClose={() => setInvitation(undefined)} />}
    </>
  )
}

export function NewInvitation({
  invitation: { label, role, namespaces, url, expiresAt },
  onClose,
}: {
  invitation: Invitation
  onClose: () => void
}) {
  const all = useOpenReflection().reflection.namespaces
  return (
    <OneTimeLink label="Invitation link" url={url} onClose={onClose}>
      Send it to {label} only: it signs anyone in as {label}, with the role {role}, until{' '}
      <time dateTime={expiresAt}>{formatTime(expiresAt)}</time>. {label}{' '}
      {formatReadAccess(namespaces, all, 'folder')}. Removing {label} revokes it at once.
    </OneTimeLink>
  )
}

interface RoleChoiceProps {
  readonly label: string
  readonly role: MemberRole
  readonly roles: readonly MemberRole[]
  readonly onRole: (role: MemberRole) => void
}

export function RoleChoice({ label, role, roles, onRole }: RoleChoiceProps) {
  return (
    <select
      aria-label={label}
      value={role}
      onChange={(event) => {
        const chosen = roles.find((each) => each === event.target.value)
        if (chosen) onRole(chosen)
      }}
      className="border-edge focus:border-accent bg-paper min-h-9 rounded-md border px-2 text-sm outline-offset-0 max-sm:min-h-11"
    >
      {roles.map((each) => (
        <option key={each}>{each}</option>
      ))}
    </select>
  )
}

interface FolderAccessChoiceProps {
  /** Absent before a name is entered. */
  readonly name?: string
  readonly role: MemberRole
  readonly reads: MemberNamespaces
  readonly onReads: (reads: MemberNamespaces) => void
}

/** The private folders that a member can read. Owners and admins read all of them. */
export function FolderAccessChoice({ name, role, reads, onReads }: FolderAccessChoiceProps) {
  const { namespaces } = useOpenReflection().reflection
  const hasList = ROLES[role].canBeLimited
  const chosen = reads === 'all' ? [] : reads
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 text-sm font-medium">
        Private folders that {name ?? 'this person'} can read
      </legend>
      {hasList && (
        <>
          <CheckField
            label="All of them, including new ones"
            checked={reads === 'all'}
            onCheck={(isChecked) => onReads(isChecked ? 'all' : [])}
          />
          {reads !== 'all' &&
            namespaces
              .filter(({ isPublished }) => !isPublished)
              .map(({ name: each }) => (
                <CheckField
                  key={each}
                  label={each}
                  checked={chosen.includes(each)}
                  onCheck={(isChecked) =>
                    onReads(isChecked ? [...chosen, each] : chosen.filter((other) => other !== each))
                  }
                />
              ))}
        </>
      )}
      <p className="text-soft text-sm">
        {name ?? 'This person'} {formatReadAccess(hasList ? reads : 'all', namespaces, 'folder')}.
      </p>
    </fieldset>
  )
}

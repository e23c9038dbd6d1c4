import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Invitation, type MemberNamespaces, type MemberRole, readsInWords } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { LinkOnce } from '../../ui/link-once.tsx'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { timeInWords } from '../../ui/time-in-words.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { reflectionKey } from '../reflection-keys.ts'
import { rolesUpTo } from '../rights-of.ts'

/** Makes a new person a member, by a link that signs them in. */
export function InviteForm() {
  const { client } = useConsoleHost()
  const queries = useQueryClient()
  const { reflection, rights } = useOpenReflection()
  const { id: reflectionId } = reflection
  const [name, setName] = useState('')
  const [role, setRole] = useState<MemberRole>('viewer')
  const [reads, setReads] = useState<MemberNamespaces>([])
  const [made, setMade] = useState<Invitation>()
  const label = name.trim()
  const invite = useMutation({
    mutationFn: () =>
      client.reflections.invite({
        reflectionId,
        label,
        role,
        ...(isReadByList(role) && { namespaces: reads }),
      }),
    onSuccess: async (invitation) => {
      setMade(invitation)
      setName('')
      setReads([])
      await queries.invalidateQueries({ queryKey: [...reflectionKey(reflectionId), 'members'] })
    },
  })
  return (
    <>
      <form
        aria-label="Invite somebody"
        className="flex max-w-lg flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (label !== '' && !invite.isPending) invite.mutate()
        }}
      >
        <TextField
          label="Their name"
          help="As it is to stand here. They get a link that signs them in, and see this reflection alone."
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <div className="flex">
          <RoleChoice label="Invited as" role={role} roles={rolesUpTo(rights.role)} onRole={setRole} />
        </div>
        <ReadsChoice {...(label !== '' && { name: label })} role={role} reads={reads} onReads={setReads} />
        <div className="flex">
          <Button type="submit" look="main" aria-disabled={label === '' || invite.isPending}>
            {invite.isPending ? 'Inviting…' : 'Invite'}
          </Button>
        </div>
        {invite.error && <Notice>{messageOf(invite.error)}</Notice>}
      </form>
      {made && <NewInvitation invitation={made} onClose={() => setMade(undefined)} />}
    </>
  )
}

interface NewInvitationProps {
  readonly invitation: Invitation
  readonly onClose: () => void
}

export function NewInvitation({
  invitation: { label, role, namespaces, url, expiresAt },
  onClose,
}: NewInvitationProps) {
  const all = useOpenReflection().reflection.namespaces
  return (
    <LinkOnce label="The invitation" url={url} onClose={onClose}>
      Give it to {label} and to nobody else: who has it is {label} here, as {role}, until{' '}
      <time dateTime={expiresAt}>{timeInWords(expiresAt)}</time>. {label} {readsInWords(namespaces, all)}.
      Removing {label} ends it at once.
    </LinkOnce>
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

interface ReadsChoiceProps {
  /** Absent where it is not known yet. */
  readonly name?: string
  readonly role: MemberRole
  readonly reads: MemberNamespaces
  readonly onReads: (reads: MemberNamespaces) => void
}

/** Which private namespaces somebody will read, and what that comes to in words. Owners and admins have no choice. */
export function ReadsChoice({ name, role, reads, onReads }: ReadsChoiceProps) {
  const { namespaces } = useOpenReflection().reflection
  const isByList = isReadByList(role)
  const chosen = reads === 'all' ? [] : reads
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 text-sm font-medium">
        Private namespaces that {name ?? 'this person'} can read
      </legend>
      {isByList && (
        <>
          <Box
            label="All of them, and those added later"
            isOn={reads === 'all'}
            onChange={(isOn) => onReads(isOn ? 'all' : [])}
          />
          {reads !== 'all' &&
            namespaces
              .filter(({ isPublished }) => !isPublished)
              .map(({ name: each }) => (
                <Box
                  key={each}
                  label={each}
                  isOn={chosen.includes(each)}
                  onChange={(isOn) =>
                    onReads(isOn ? [...chosen, each] : chosen.filter((other) => other !== each))
                  }
                />
              ))}
        </>
      )}
      <p className="text-soft text-sm">
        {name ?? 'This person'} {readsInWords(isByList ? reads : 'all', namespaces)}.
      </p>
    </fieldset>
  )
}

export const isReadByList = (role: MemberRole): boolean => role === 'viewer' || role === 'operator'

interface BoxProps {
  readonly label: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}

const Box = ({ label, isOn, onChange }: BoxProps) => (
  <label className="flex min-h-8 items-center gap-2 text-sm max-sm:min-h-11">
    <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.target.checked)} />
    <span className="wrap-anywhere">{label}</span>
  </label>
)

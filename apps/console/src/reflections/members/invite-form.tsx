import { type Invitation, type MemberNamespaces, type MemberRole, readsInWords } from '@parley/contracts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
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
import { isReadByList, ReadsChoice } from './reads-choice.tsx'
import { RoleChoice } from './role-choice.tsx'

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

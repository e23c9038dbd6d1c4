import type { Member, MemberRole } from '@parley/contracts'
import { useEffect, useRef, useState } from 'react'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { focusPage } from '../../ui/focus-page.ts'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { Question } from '../../ui/question.tsx'
import { useFocusAfter } from '../../ui/use-focus-after.ts'
import { useOpener } from '../../ui/use-opener.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { useReflectionChange } from '../use-reflection.ts'
import { memberChanges } from './member-changes.ts'
import { RoleChoice } from './role-choice.tsx'

interface MemberRowProps {
  readonly member: Member
  readonly members: readonly Member[]
}

export function MemberRow({ member, members }: MemberRowProps) {
  const { me } = useConsoleHost()
  const { rights } = useOpenReflection()
  const asking = useOpener()
  const box = useRef<HTMLLIElement>(null)
  useFocusAfter(box, focusPage)
  const { roles, mayRemove } = memberChanges(rights.role, members, member)
  const name = member.personId === me.personId ? `${member.label} (you)` : member.label
  return (
    <li ref={box} className="flex flex-col gap-3 py-2.5 text-sm">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <p className="min-w-40 flex-1 leading-6 wrap-anywhere">
          {name}
          <span className="text-soft block font-mono text-xs">{member.personId}</span>
        </p>
        {roles.length === 0 ? (
          <p className="text-soft">{member.role}</p>
        ) : (
          <RoleForm member={member} roles={roles} />
        )}
        {mayRemove && (
          <Button look="bare" aria-label={`Remove ${member.label}`} {...asking.opener}>
            Remove
          </Button>
        )}
      </div>
      {asking.isOpen && <RemoveMember member={member} onClose={asking.close} />}
    </li>
  )
}

/** A role is chosen and then saved: going through the choices by keys gives nobody a role. */
function RoleForm({ member, roles }: { member: Member; roles: readonly MemberRole[] }) {
  const { reflection } = useOpenReflection()
  const [chosen, setChosen] = useState<MemberRole>()
  const role = chosen ?? member.role
  // Not at once when it is saved: until the member is read anew, their former role would show.
  useEffect(() => setChosen(undefined), [member.role])
  const save = useReflectionChange(reflection.id, (reflections) =>
    reflections.setMember({ reflectionId: reflection.id, personId: member.personId, role }),
  )
  const isHeld = role === member.role || save.isPending
  return (
    <form
      className="flex flex-wrap items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isHeld) save.mutate()
      }}
    >
      <RoleChoice label={`Role of ${member.label}`} role={role} roles={roles} onRole={setChosen} />
      <Button type="submit" aria-label={`Save the role of ${member.label}`} aria-disabled={isHeld}>
        Save
      </Button>
      {save.error && <Notice>{messageOf(save.error)}</Notice>}
    </form>
  )
}

function RemoveMember({ member, onClose }: { member: Member; onClose: () => void }) {
  const { reflection } = useOpenReflection()
  const remove = useReflectionChange(reflection.id, (reflections) =>
    reflections.removeMember({ reflectionId: reflection.id, personId: member.personId }),
  )
  return (
    <Question label={`Remove ${member.label}`} yes="Remove" no="Keep them" doing={remove} onClose={onClose}>
      <p>{member.label} will no longer see this reflection. They can be added again.</p>
    </Question>
  )
}

import type { MemberRole } from '@parley/contracts'

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

import { type MemberNamespaces, type MemberRole, readsInWords } from '@parley/contracts'
import { useOpenReflection } from '../open-reflection.ts'

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

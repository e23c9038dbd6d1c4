import { Audience, Channel, Role, SessionMode } from '@parley/contracts'
import { Choice } from '../../../ui/field.tsx'
import { useOpenReflection } from '../../open-reflection.ts'
import { LinkChoice } from './link-choice.tsx'
import { type LookInAddress, lookInAddress } from './look-in-address.ts'
import { lookNote } from './look-note.ts'
import { useLookChange } from './use-look.ts'

const MODES: Readonly<Record<SessionMode, string>> = {
  reflection: 'Reflection',
  interview: 'Interview',
  share: 'Share',
}
const AUDIENCES: Readonly<Record<Audience, string>> = { private: 'Private', public: 'Public' }
const CHANNELS: Readonly<Record<Channel, string>> = { voice: 'Spoken', text: 'Typed' }
const COMERS = { '': 'As I am here', standard: 'First time here', memory: 'Was here before' }
const AGENTS = { '': 'Whoever would', own: 'The reflection’s own', generic: 'A generic one' }

export function LookForm({ look }: { look: LookInAddress }) {
  const change = useLookChange(look)
  const { role: own = 'viewer' } = useOpenReflection().rights
  const { mode = 'reflection', audience = 'private', channel = 'voice' } = look
  const isPublic = audience === 'public'
  const { role = isPublic ? 'guest' : own } = look
  const note = lookNote({ audience, role })
  /** What the address takes, from what a list was set to. */
  const set = (name: keyof LookInAddress) => (value: string) =>
    change({ [name]: lookInAddress({ [name]: value })[name] })
  return (
    <form
      aria-label="The session"
      className="flex flex-col gap-3"
      onSubmit={(event) => event.preventDefault()}
    >
      <div className="grid grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] gap-3">
        <Pick label="Mode" value={mode} options={MODES} onPick={set('mode')} />
        <Pick label="Audience" value={audience} options={AUDIENCES} onPick={set('audience')} />
        <Pick label="Role" value={role} options={ROLES} onPick={set('role')} />
        <Pick label="Channel" value={channel} options={CHANNELS} onPick={set('channel')} />
        {isPublic ? (
          <LinkChoice link={look.link} onPick={(link) => change({ link })} />
        ) : (
          <>
            <Pick label="Person" value={look.surface ?? ''} options={COMERS} onPick={set('surface')} />
            {channel === 'voice' && (
              <Pick label="Who speaks" value={look.agent ?? ''} options={AGENTS} onPick={set('agent')} />
            )}
          </>
        )}
      </div>
      <label className="flex min-h-9 items-center gap-2 self-start text-sm max-sm:min-h-11">
        <input
          type="checkbox"
          checked={look.offRecord === true}
          onChange={({ target }) => change({ offRecord: target.checked ? true : undefined })}
        />
        Off the record
      </label>
      <p className="text-soft max-w-prose text-sm leading-6">{note}</p>
    </form>
  )
}

const ROLES: Readonly<Record<Role, string>> = {
  owner: 'Owner',
  admin: 'Admin',
  operator: 'Operator',
  viewer: 'Viewer',
  guest: 'Guest',
}

interface PickProps {
  readonly label: string
  readonly value: string
  readonly options: Readonly<Record<string, string>>
  readonly onPick: (value: string) => void
}

const Pick = ({ label, value, options, onPick }: PickProps) => (
  <Choice label={label} value={value} onChange={(event) => onPick(event.target.value)}>
    {Object.entries(options).map(([option, words]) => (
      <option key={option} value={option}>
        {words}
      </option>
    ))}
  </Choice>
)

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Audience, Channel, Role, SessionMode, type ShareLink } from '@parley/contracts'
import { useConsoleHost } from '../../../app/console-host.ts'
import { Choice } from '../../../ui/field.tsx'
import { timeInWords } from '../../../ui/time-in-words.ts'
import { useOpenReflection } from '../../open-reflection.ts'
import { reflectionKey } from '../../reflection-keys.ts'
import { type LookInAddress, lookInAddress } from './look-in-address.ts'

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

/** What there is to know of a choice. */
export function lookNote({ audience, role }: { readonly audience: Audience; readonly role: Role }): string {
  if (audience === 'public') {
    return role === 'guest'
      ? 'As a visitor, who is nobody: no recap, no context, nothing that is not published.'
      : 'Whoever comes by a link is a guest. This shows that another role would change nothing in public.'
  }
  return role === 'guest'
    ? 'Nobody comes in private as a guest. This shows what the table of actions would allow.'
    : 'Recap and context are your own, whatever the role: nobody sees what another has said.'
}

interface LinkChoiceProps {
  readonly link: string | undefined
  readonly onPick: (link: string | undefined) => void
}

/** The link that a visitor comes by, which may show less than all that is published. */
function LinkChoice({ link, onPick }: LinkChoiceProps) {
  const { client } = useConsoleHost()
  const { id: reflectionId } = useOpenReflection().reflection
  const { data: links = [] } = useQuery({
    queryKey: [...reflectionKey(reflectionId), 'share-links'],
    queryFn: () => client.reflections.shareLinks(reflectionId),
  })
  return (
    <Choice
      label="By the link"
      value={link ?? ''}
      onChange={({ target }) => onPick(target.value || undefined)}
    >
      <option value="">One to all that is published</option>
      {link !== undefined && links.every(({ id }) => id !== link) && (
        <option value={link}>A link that is not listed</option>
      )}
      {links.map((one) => (
        <option key={one.id} value={one.id}>
          {linkInWords(one)}
        </option>
      ))}
    </Choice>
  )
}

const linkInWords = ({ namespaces, createdAt, revokedAt }: ShareLink): string =>
  `${namespaces ? namespaces.join(', ') : 'All that is published'}, made ${timeInWords(createdAt)}${revokedAt ? ' (revoked)' : ''}`

/** Changes what is looked at, in the address, so that it can be kept and given on. */
export function useLookChange(look: LookInAddress) {
  const { id: reflectionId } = useOpenReflection().reflection
  const navigate = useNavigate()
  return (change: { readonly [Key in keyof LookInAddress]: LookInAddress[Key] | undefined }) =>
    void navigate({
      to: '/reflections/$reflectionId/runtime/variables',
      params: { reflectionId },
      search: present({ ...look, ...change }),
      replace: true,
    })
}

const present = (look: Readonly<Record<string, unknown>>): LookInAddress =>
  Object.fromEntries(Object.entries(look).filter(([, value]) => value !== undefined))

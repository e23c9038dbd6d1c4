import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Audience, Channel, Role, SessionMode, type ShareLink } from '@parley/contracts'
import { useConsoleHost } from '../../../app/console-host.ts'
import { Choice } from '../../../ui/field.tsx'
import { timeInWords } from '../../../ui/time-in-words.ts'
import { useOpenReflection } from '../../open-reflection.ts'
import { reflectionKey } from '../../reflection-keys.ts'
import { type PreviewSession, lookInAddress } from './look-in-address.ts'

const MODES: Readonly<Record<SessionMode, string>> = {
  reflection: 'Reflection',
  interview: 'Interview',
  share: 'Share',
}
const AUDIENCES: Readonly<Record<Audience, string>> = { private: 'Private', public: 'Public' }
const CHANNELS: Readonly<Record<Channel, string>> = { voice: 'Voice', text: 'Text' }
const VISITS = { '': 'Same as mine', standard: 'First visit', memory: 'Returning' }
const AGENTS = { '': 'Default agent', own: 'Reflection’s own agent', generic: 'Generic agent' }

export function SessionForm({ session }: { session: PreviewSession }) {
  const change = useSessionChange(session)
  const { role: ownRole = 'viewer' } = useOpenReflection().rights
  const { mode = 'reflection', audience = 'private', channel = 'voice' } = session
  const isPublic = audience === 'public'
  const { role = isPublic ? 'guest' : ownRole } = session
  const note = explainChoice({ audience, role })
  /** Validates a chosen value as if it came from the URL. */
  const set = (name: keyof PreviewSession) => (value: string) =>
    change({ [name]: lookInAddress({ [name]: value })[name] })
  return (
    <form aria-label="Session" className="flex flex-col gap-3" onSubmit={(event) => event.preventDefault()}>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] gap-3">
        <Pick label="Mode" value={mode} options={MODES} onPick={set('mode')} />
        <Pick label="Audience" value={audience} options={AUDIENCES} onPick={set('audience')} />
        <Pick label="Role" value={role} options={ROLES} onPick={set('role')} />
        <Pick label="Channel" value={channel} options={CHANNELS} onPick={set('channel')} />
        {isPublic ? (
          <LinkChoice link={session.link} onPick={(link) => change({ link })} />
        ) : (
          <>
            <Pick label="Visit" value={session.surface ?? ''} options={VISITS} onPick={set('surface')} />
            {channel === 'voice' && (
              <Pick label="Agent" value={session.agent ?? ''} options={AGENTS} onPick={set('agent')} />
            )}
          </>
        )}
      </div>
      <label className="flex min-h-9 items-center gap-2 self-start text-sm max-sm:min-h-11">
        <input
          type="checkbox"
          checked={session.offRecord === true}
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

/** Explains the chosen audience and role. */
export function explainChoice({
  audience,
  role,
}: {
  readonly audience: Audience
  readonly role: Role
}): string {
  if (audience === 'public') {
    return role === 'guest'
      ? 'As an anonymous visitor: no recap, no context, published content only.'
      : 'Visitors with a link are guests. In public, other roles make no difference.'
  }
  return role === 'guest'
    ? 'Guests cannot start private sessions. This shows the actions that they would have.'
    : 'Recap and context are always your own, whatever the role: nobody sees another person’s conversations.'
}

interface LinkChoiceProps {
  readonly link: string | undefined
  readonly onPick: (link: string | undefined) => void
}

/** The visitor's share link, which may include only some of the public folders. */
function LinkChoice({ link, onPick }: LinkChoiceProps) {
  const { client } = useConsoleHost()
  const { id: reflectionId } = useOpenReflection().reflection
  const { data: links = [] } = useQuery({
    queryKey: [...reflectionKey(reflectionId), 'share-links'],
    queryFn: () => client.reflections.shareLinks(reflectionId),
  })
  return (
    <Choice
      label="Share link"
      value={link ?? ''}
      onChange={({ target }) => onPick(target.value || undefined)}
    >
      <option value="">All public folders</option>
      {link !== undefined && links.every(({ id }) => id !== link) && (
        <option value={link}>Unknown link</option>
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
  `${namespaces ? namespaces.join(', ') : 'All public folders'}, created ${timeInWords(createdAt)}${revokedAt ? ' (revoked)' : ''}`

/** Changes the session in the URL, so that it can be bookmarked and shared. */
export function useSessionChange(session: PreviewSession) {
  const { id: reflectionId } = useOpenReflection().reflection
  const navigate = useNavigate()
  return (change: { readonly [Key in keyof PreviewSession]: PreviewSession[Key] | undefined }) =>
    void navigate({
      to: '/reflections/$reflectionId/runtime/variables',
      params: { reflectionId },
      search: withoutUndefined({ ...session, ...change }),
      replace: true,
    })
}

const withoutUndefined = (session: Readonly<Record<string, unknown>>): PreviewSession =>
  Object.fromEntries(Object.entries(session).filter(([, value]) => value !== undefined))

import { useNavigate } from '@tanstack/react-router'
import { Audience, Channel, Role, SessionMode, type ShareLink } from '@parley/contracts'
import { CheckField, Choice } from '../../../ui/field.tsx'
import { formatTime } from '../../../ui/format.ts'
import { useOpenReflection } from '../../open-reflection.ts'
import { useShareLinks } from '../../use-reflection-query.ts'
import { type PreviewSession, parsePreviewSession } from '../../../app/search-params.ts'
import { Form } from '../../../ui/form.tsx'
import { Intro } from '../../../ui/page-body.tsx'

const MODES: Readonly<Record<SessionMode, string>> = {
  reflection: 'Reflection',
  interview: 'Interview',
  share: 'Share',
}
const AUDIENCES: Readonly<Record<Audience, string>> = { private: 'Private', public: 'Public' }
const CHANNELS: Readonly<Record<Channel, string>> = { voice: 'Voice', text: 'Text' }
const MEMBERS = { '': 'Same as mine', standard: 'New', memory: 'Returning' }
const AGENTS = { '': 'Default agent', own: 'Reflection’s own agent', generic: 'Generic agent' }

export function SessionForm({ session }: { session: PreviewSession }) {
  const change = useSessionChange(session)
  const { role: ownRole = 'viewer' } = useOpenReflection().rights
  const { mode = 'reflection', audience = 'private', channel = 'voice' } = session
  const isPublic = audience === 'public'
  const { role = isPublic ? 'guest' : ownRole } = session
  const note = explainChoice({ audience, role })
  const set = (name: keyof PreviewSession) => (value: string) => change({ [name]: value })
  return (
    <Form aria-label="Session" className="flex flex-col gap-3">
      <div className="grid grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] gap-3">
        <Choice label="Mode" value={mode} options={MODES} onChoose={set('mode')} />
        <Choice label="Audience" value={audience} options={AUDIENCES} onChoose={set('audience')} />
        <Choice label="Role" value={role} options={ROLES} onChoose={set('role')} />
        <Choice label="Channel" value={channel} options={CHANNELS} onChoose={set('channel')} />
        {isPublic ? (
          <LinkChoice link={session.link} onChoose={set('link')} />
        ) : (
          <>
            <Choice
              label="Member"
              value={session.surface ?? ''}
              options={MEMBERS}
              onChoose={set('surface')}
            />
            {channel === 'voice' && (
              <Choice label="Agent" value={session.agent ?? ''} options={AGENTS} onChoose={set('agent')} />
            )}
          </>
        )}
      </div>
      <CheckField
        label="Off the record"
        checked={session.offRecord === true}
        onCheck={(offRecord) => change({ offRecord })}
      />
      <Intro>{note}</Intro>
    </Form>
  )
}

const ROLES: Readonly<Record<Role, string>> = {
  owner: 'Owner',
  admin: 'Admin',
  operator: 'Operator',
  viewer: 'Viewer',
  guest: 'Guest',
}

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

/** The visitor's share link, which may include only some of the public folders. */
function LinkChoice({ link, onChoose }: { link: string | undefined; onChoose: (link: string) => void }) {
  const { data: links = [] } = useShareLinks()
  return (
    <Choice
      label="Share link"
      value={link ?? ''}
      options={Object.fromEntries(links.map((each) => [each.id, describeLink(each)]))}
      onChoose={onChoose}
    >
      <option value="">All public folders</option>
      {link !== undefined && links.every(({ id }) => id !== link) && (
        <option value={link}>Unknown link</option>
      )}
    </Choice>
  )
}

const describeLink = ({ namespaces, createdAt, revokedAt }: ShareLink): string =>
  `${namespaces ? namespaces.join(', ') : 'All public folders'}, created ${formatTime(createdAt)}${revokedAt ? ' (revoked)' : ''}`

/** Changes the session in the address, to bookmark and share it. Invalid values are dropped, as from an address. */
export function useSessionChange(session: PreviewSession) {
  const { id: reflectionId } = useOpenReflection().reflection
  const navigate = useNavigate()
  return (change: { readonly [Key in keyof PreviewSession]: unknown }) =>
    void navigate({
      to: '/reflections/$reflectionId/runtime/variables',
      params: { reflectionId },
      search: parsePreviewSession({ ...session, ...change }),
      replace: true,
    })
}

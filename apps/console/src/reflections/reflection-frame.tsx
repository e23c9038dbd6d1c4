import type { Reflection, ReflectionId } from '@parley/contracts'
import { Link, Outlet } from '@tanstack/react-router'
import { PageHeader } from '../shell/page-header.tsx'
import { Button } from '../ui/button.tsx'
import { messageOf } from '../ui/message-of.ts'
import { Notice } from '../ui/notice.tsx'
import { PageBody } from '../ui/page-body.tsx'
import { type OpenReflection, OpenReflectionContext } from './open-reflection.ts'
import { rightsOf } from './rights-of.ts'
import { useUploads } from './sources/use-uploads.ts'
import { isUnknown, useReflection, useWaitingPatches } from './use-reflection.ts'

/** What all parts of a reflection share: its name, the way to the parts, and what they work with. */
export function ReflectionFrame({ reflectionId }: { reflectionId: ReflectionId }) {
  const { data: reflection, error, refetch } = useReflection(reflectionId)
  if (reflection) return <Frame reflection={reflection} />
  if (isUnknown(error)) return <UnknownReflection />
  return (
    <>
      <PageHeader title="Reflection" />
      <PageBody>
        {error ? (
          <Notice action={<Button onClick={() => void refetch()}>Try again</Button>}>
            {messageOf(error)}
          </Notice>
        ) : (
          <p className="animate-late text-soft text-sm">Loading the reflection…</p>
        )}
      </PageBody>
    </>
  )
}

const UnknownReflection = () => (
  <>
    <PageHeader title="No such reflection" />
    <PageBody>
      <p className="text-sm leading-6">
        There is no reflection here, or you are no member of it.{' '}
        <Link to="/reflections" className="text-accent underline">
          Go to the reflections
        </Link>
      </p>
    </PageBody>
  </>
)

function Frame({ reflection }: { reflection: Reflection }) {
  const rights = rightsOf(reflection.role)
  const waiting = useWaitingPatches(reflection.id)
  const uploads = useUploads(reflection.id)
  return (
    <OpenReflectionContext value={{ reflection, rights, waiting, uploads }}>
      <title>{`${reflection.displayName} · Parley`}</title>
      <PageHeader title={reflection.displayName}>
        {reflection.creatorName && reflection.creatorName !== reflection.displayName && (
          <p className="text-soft truncate text-sm">by {reflection.creatorName}</p>
        )}
      </PageHeader>
      <Parts open={{ reflection, rights, waiting }} />
      <Outlet />
    </OpenReflectionContext>
  )
}

const PARTS = [
  { label: 'Overview', to: '/reflections/$reflectionId' },
  { label: 'Sources', to: '/reflections/$reflectionId/sources' },
  { label: 'Facts', to: '/reflections/$reflectionId/facts' },
  { label: 'Patches', to: '/reflections/$reflectionId/patches' },
  { label: 'Ask', to: '/reflections/$reflectionId/ask' },
  { label: 'Members', to: '/reflections/$reflectionId/members' },
] as const

function Parts({ open }: { open: Omit<OpenReflection, 'uploads'> }) {
  const { reflection, rights, waiting } = open
  const shown = PARTS.filter(({ label }) => label !== 'Members' || rights.mayManage)
  return (
    <nav aria-label="Parts of the reflection" className="border-line border-b px-2.5 sm:px-5.5">
      <ul className="flex flex-wrap">
        {shown.map(({ label, to }) => (
          <li key={label}>
            <Link
              to={to}
              params={{ reflectionId: reflection.id }}
              activeOptions={{ exact: true }}
              className="text-soft hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink -mb-px flex min-h-10 items-center justify-center gap-1.5 border-b-2 border-transparent px-2.5 text-sm max-sm:min-h-11 max-sm:min-w-11 max-sm:px-1.5"
            >
              {label}
              {label === 'Patches' && <WaitingMark waiting={waiting} />}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function WaitingMark({ waiting: { items = [], more } }: Pick<OpenReflection, 'waiting'>) {
  if (items.length === 0) return null
  return (
    <span className="bg-accent text-on-accent rounded-full px-1.5 text-xs leading-5">
      {items.length}
      {more && '+'}
      <span className="sr-only"> waiting</span>
    </span>
  )
}

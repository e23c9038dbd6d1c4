import type { Reflection, ReflectionId } from '@parley/contracts'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { PageHeader } from '../shell/page-header.tsx'
import { Button } from '../ui/button.tsx'
import { messageOf } from '../ui/message-of.ts'
import { Notice } from '../ui/notice.tsx'
import { PageBody } from '../ui/page-body.tsx'
import { OpenReflectionContext } from './open-reflection.ts'
import { partAt } from './parts.ts'
import { PartsBar } from './parts-bar.tsx'
import { rightsOf } from './rights-of.ts'
import { GiveAnywhere } from './sources/give-anywhere.tsx'
import { useGiving } from './sources/use-giving.ts'
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
  const giving = useGiving(reflection, uploads)
  const part = partAt(useLocation().pathname)
  return (
    <OpenReflectionContext value={{ reflection, rights, waiting, uploads, giving }}>
      {part !== undefined && <title>{`${part} · ${reflection.displayName} · Parley`}</title>}
      <PageHeader title={reflection.displayName}>
        {reflection.creatorName && reflection.creatorName !== reflection.displayName && (
          <p className="text-soft truncate text-sm">by {reflection.creatorName}</p>
        )}
      </PageHeader>
      <PartsBar open={{ reflection, rights, waiting }} />
      {rights.mayTeach && giving.namespace !== '' && <GiveAnywhere giving={giving} />}
      <Outlet />
    </OpenReflectionContext>
  )
}

import type { CreatedShareLink } from '@parley/contracts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { LinkOnce } from '../../ui/link-once.tsx'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { PageBody, Section } from '../../ui/page-body.tsx'
import { useOpenReflection } from '../open-reflection.ts'
import { reflectionKey } from '../reflection-keys.ts'
import { CreateLink } from './create-link.tsx'
import { LinkRow } from './link-row.tsx'

/** Uses rise while one looks on. */
const LOOK_AGAIN_MS = 10_000

/** The links that let anybody talk with what is public. */
export function SharePage() {
  const { client } = useConsoleHost()
  const { reflection, rights } = useOpenReflection()
  const [made, setMade] = useState<CreatedShareLink>()
  const {
    data: links,
    error,
    refetch,
    dataUpdatedAt,
  } = useQuery({
    queryKey: [...reflectionKey(reflection.id), 'share-links'],
    queryFn: () => client.reflections.shareLinks(reflection.id),
    refetchInterval: LOOK_AGAIN_MS,
    enabled: rights.mayManage,
  })
  if (!rights.mayManage) {
    return (
      <PageBody>
        <p className="text-sm leading-6">Links are made by admins of this reflection.</p>
      </PageBody>
    )
  }
  return (
    <PageBody>
      <p className="text-soft max-w-prose text-sm leading-6">
        Whoever has a link can talk with this reflection, by what is public and nothing else. Each session
        that starts by it is a use.
      </p>
      <NothingPublic />
      {made && (
        <LinkOnce
          label="The new link"
          url={made.url}
          action={<OpenIt url={made.url} />}
          onClose={() => setMade(undefined)}
        />
      )}
      <Section title="New link">
        <CreateLink onMade={setMade} />
      </Section>
      <Section title="Links">
        {error && (
          <Notice action={<Button onClick={() => void refetch()}>Try again</Button>}>
            {messageOf(error)}
          </Notice>
        )}
        {!links && !error && <p className="animate-late text-soft text-sm">Loading…</p>}
        {links?.length === 0 && <p className="text-sm leading-6">None yet. Make the first one above.</p>}
        {links && links.length > 0 && (
          <ul aria-label="Links" className="divide-line border-line divide-y border-y">
            {links.map((link) => (
              <LinkRow key={link.id} link={link} now={dataUpdatedAt} />
            ))}
          </ul>
        )}
      </Section>
    </PageBody>
  )
}

const OpenIt = ({ url }: { url: string }) => (
  <a
    href={url}
    target="_blank"
    rel="noreferrer"
    className="border-line hover:border-soft inline-flex min-h-9 items-center rounded-md border px-3.5 text-sm max-sm:min-h-11"
  >
    Open it
  </a>
)

function NothingPublic() {
  const { reflection } = useOpenReflection()
  if (reflection.namespaces.some(({ isPublished }) => isPublished)) return null
  return (
    <p className="border-edge border-s-2 ps-3 text-sm leading-6">
      Nothing is public yet, so a link lets nobody in.{' '}
      <Link
        to="/reflections/$reflectionId"
        params={{ reflectionId: reflection.id }}
        className="text-accent underline underline-offset-2"
      >
        Publish a namespace first
      </Link>
      .
    </p>
  )
}

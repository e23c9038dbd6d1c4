import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type CreatedShareLink, type LinkStanding, type ShareLink, linkStanding } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { LinkOnce } from '../../ui/link-once.tsx'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { PageBody, Section } from '../../ui/page-body.tsx'
import { Question } from '../../ui/question.tsx'
import { timeInWords } from '../../ui/time-in-words.ts'
import { useOpener } from '../../ui/use-opener.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { reflectionKey } from '../reflection-keys.ts'
import { useReflectionChange } from '../use-reflection.ts'
import { CreateLink } from './create-link.tsx'

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

const STANDINGS: Record<LinkStanding, { readonly says: string; readonly look: string }> = {
  good: { says: 'good', look: 'text-accent' },
  used_up: { says: 'used up', look: 'text-ink' },
  over: { says: 'over', look: 'text-ink' },
  revoked: { says: 'revoked', look: 'text-alarm' },
}

function LinkRow({ link, now }: { link: ShareLink; now: number }) {
  const { namespaces, reaches, expiresAt, createdAt } = link
  const asking = useOpener()
  const standing = linkStanding(link, now)
  const { says, look } = STANDINGS[standing]
  return (
    <li data-standing={standing} className="flex flex-col gap-3 py-3 text-sm leading-6">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-1">
        <div className="min-w-0 flex-1 basis-56">
          <p>
            <span className={`font-medium ${look}`}>{says}</span> · {usesInWords(link)}
            {expiresAt && (
              <>
                {' · '}
                {standing === 'over' ? 'was over ' : 'until '}
                <time dateTime={expiresAt}>{timeInWords(expiresAt)}</time>
              </>
            )}
          </p>
          <p className="text-soft wrap-anywhere">
            {namespaces ? namespaces.join(', ') : 'all that is public'} · made{' '}
            <time dateTime={createdAt}>{timeInWords(createdAt)}</time>
          </p>
          {standing === 'good' && reaches.length === 0 && (
            <p>Nobody gets in by it until something of that is published.</p>
          )}
        </div>
        {standing !== 'revoked' && (
          <Button
            look="bare"
            aria-label={`Revoke the link made ${timeInWords(createdAt)}`}
            {...asking.opener}
          >
            Revoke
          </Button>
        )}
      </div>
      {asking.isOpen && standing !== 'revoked' && <RevokeLink link={link} onClose={asking.close} />}
    </li>
  )
}

function RevokeLink({ link, onClose }: { link: ShareLink; onClose: () => void }) {
  const { id: reflectionId } = useOpenReflection().reflection
  const revoke = useReflectionChange(reflectionId, (reflections) =>
    reflections.unshare({ reflectionId, linkId: link.id }),
  )
  return (
    <Question
      label={`Revoke the link made ${timeInWords(link.createdAt)}`}
      yes="Revoke for good"
      no="Keep it"
      doing={revoke}
      onClose={onClose}
    >
      <p>Revoke this link? Nobody comes in by it any more, and whoever is talking by it is out at once.</p>
    </Question>
  )
}

/** How often a link was used, of how often it may be. */
export function usesInWords({ uses, maxUses }: Pick<ShareLink, 'uses' | 'maxUses'>): string {
  if (maxUses !== undefined) return `used ${uses} of ${maxUses} times`
  if (uses === 0) return 'not used yet'
  return uses === 1 ? 'used once' : `used ${uses} times`
}

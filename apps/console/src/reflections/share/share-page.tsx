import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import {
  type CreateShareLink,
  type CreatedShareLink,
  type LinkStanding,
  type ShareLink,
  linkStanding,
} from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { Choice, TextField } from '../../ui/field.tsx'
import { LinkOnce } from '../../ui/link-once.tsx'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { PageBody, Section } from '../../ui/page-body.tsx'
import { Question } from '../../ui/question.tsx'
import { timeInWords } from '../../ui/time-in-words.ts'
import { useOpener } from '../../ui/use-opener.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { reflectionKey } from '../reflection-keys.ts'
import { useReflectionChange } from '../use-reflections.ts'

/** Uses rise while one looks on. */
const REFRESH_MS = 10_000

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
    refetchInterval: REFRESH_MS,
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

const EMPTY: LinkForm = { namespaces: [], maxUses: '', lasts: '' }

function CreateLink({ onMade }: { onMade: (link: CreatedShareLink) => void }) {
  const { client } = useConsoleHost()
  const queries = useQueryClient()
  const { id: reflectionId } = useOpenReflection().reflection
  const [form, setForm] = useState(EMPTY)
  const [wrong, setWrong] = useState<string>()
  const create = useMutation({
    mutationFn: (link: CreateShareLink) => client.reflections.share({ reflectionId, ...link }),
    onSuccess: async (link) => {
      onMade(link)
      setForm(EMPTY)
      await queries.invalidateQueries({ queryKey: [...reflectionKey(reflectionId), 'share-links'] })
    },
  })
  const submit = () => {
    if (create.isPending) return
    const wanted = linkWanted(form, Date.now())
    setWrong('wrong' in wanted ? wanted.wrong : undefined)
    if ('link' in wanted) create.mutate(wanted.link)
  }
  return (
    <form
      aria-label="New link"
      className="flex max-w-xl flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Reach form={form} onForm={setForm} />
      <div className="grid grid-cols-2 gap-3">
        <TextField
          label="Uses at most"
          placeholder="Any number"
          inputMode="numeric"
          value={form.maxUses}
          onChange={(event) => setForm({ ...form, maxUses: event.target.value })}
        />
        <Choice
          label="Lasts"
          value={form.lasts}
          onChange={(event) => setForm({ ...form, lasts: event.target.value as Lasts })}
        >
          {Object.entries(LASTS).map(([hours, label]) => (
            <option key={hours} value={hours}>
              {label}
            </option>
          ))}
        </Choice>
      </div>
      <Button type="submit" look="main" className="self-start" aria-disabled={create.isPending}>
        {create.isPending ? 'Making it…' : 'Make a link'}
      </Button>
      {(wrong ?? create.error) && <Notice>{wrong ?? (create.error && messageOf(create.error))}</Notice>}
    </form>
  )
}

interface ReachProps {
  readonly form: LinkForm
  readonly onForm: (form: LinkForm) => void
}

/** Which of what is public it reaches; with one public namespace there is nothing to choose. */
function Reach({ form, onForm }: ReachProps) {
  const published = useOpenReflection().reflection.namespaces.filter(({ isPublished }) => isPublished)
  if (published.length < 2) return null
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 text-sm font-medium">What it reaches</legend>
      {published.map(({ name }) => (
        <label key={name} className="flex min-h-8 items-center gap-2 text-sm max-sm:min-h-11">
          <input
            type="checkbox"
            checked={form.namespaces.includes(name)}
            onChange={(event) =>
              onForm({
                ...form,
                namespaces: event.target.checked
                  ? [...form.namespaces, name]
                  : form.namespaces.filter((each) => each !== name),
              })
            }
          />
          <span className="font-mono wrap-anywhere">{name}</span>
        </label>
      ))}
      <p className="text-soft text-sm">
        If you choose none, it reaches everything that is public at the time somebody uses it.
      </p>
    </fieldset>
  )
}

/** How long a link may last, and what that is called. */
const LASTS = {
  '': 'Without end',
  '1': 'An hour',
  '24': 'A day',
  '168': 'A week',
  '720': '30 days',
} as const

type Lasts = keyof typeof LASTS

/** A link as it was filled in. */
export interface LinkForm {
  /** None means all that is public. */
  readonly namespaces: readonly string[]
  readonly maxUses: string
  readonly lasts: Lasts
}

const MOST_USES = 1_000_000
const HOUR_MS = 3_600_000

/** The link that the form asks for, or what is wrong with it. */
export function linkWanted(
  { namespaces, maxUses, lasts }: LinkForm,
  now: number,
): { readonly link: CreateShareLink } | { readonly wrong: string } {
  const uses = maxUses.trim() === '' ? undefined : Number(maxUses)
  if (uses !== undefined && !(Number.isInteger(uses) && uses >= 1 && uses <= MOST_USES)) {
    return {
      wrong: 'The number of uses is a whole number from 1 to 1,000,000; leave it empty for any number.',
    }
  }
  return {
    link: {
      ...(namespaces.length > 0 && { namespaces: [...namespaces] }),
      ...(uses !== undefined && { maxUses: uses }),
      ...(lasts !== '' && { expiresAt: new Date(now + Number(lasts) * HOUR_MS).toISOString() }),
    },
  }
}

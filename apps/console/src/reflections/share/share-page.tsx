import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import {
  type CreateShareLink,
  type CreatedShareLink,
  type ShareLinkState,
  type ShareLink,
  getShareLinkState,
  listPublishedNamespaces,
} from '@parley/contracts'
import { Button, LINK_BUTTON } from '../../ui/button.tsx'
import { CheckField, Choice, TextField } from '../../ui/field.tsx'
import { OneTimeLink } from '../../ui/one-time-link.tsx'
import { getErrorMessage } from '../../ui/error-message.ts'
import { Notice } from '../../ui/notice.tsx'
import { Intro, PageBody, Section, Rows } from '../../ui/page-body.tsx'
import { ConfirmButton } from '../../ui/confirm-form.tsx'
import { formatTime } from '../../ui/format.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { useShareLinks } from '../use-reflection-query.ts'
import { useReflectionChange } from '../use-reflections.ts'
import { QueryState } from '../../ui/query-state.tsx'
import { Form } from '../../ui/form.tsx'

/** The number of uses grows while the page is open. */
const REFRESH_MS = 10_000

export function SharePage() {
  const { rights } = useOpenReflection()
  const [created, setCreated] = useState<CreatedShareLink>()
  const query = useShareLinks({ refetchInterval: REFRESH_MS, enabled: rights.mayManage })
  const links = query.data
  if (!rights.mayManage) {
    return (
      <PageBody>
        <p className="text-sm leading-6">Admins of this reflection can create share links.</p>
      </PageBody>
    )
  }
  return (
    <PageBody>
      <Intro>
        Anyone with a link can talk with this reflection, based on public content only. Each session started
        with it counts as one use.
      </Intro>
      <NothingPublic />
      {created && (
        <OneTimeLink
          label="New share link"
          url={created.url}
          action={<OpenLink url={created.url} />}
          onClose={() => setCreated(undefined)}
        />
      )}
      <Section title="New link">
        <CreateLink onCreated={setCreated} />
      </Section>
      <Section title="Links">
        <QueryState query={query} />
        {links?.length === 0 && (
          <p className="text-sm leading-6">No links yet. Create the first one above.</p>
        )}
        {links && links.length > 0 && (
          <Rows aria-label="Links">
            {links.map((link) => (
              <LinkRow key={link.id} link={link} now={query.dataUpdatedAt} />
            ))}
          </Rows>
        )}
      </Section>
    </PageBody>
  )
}

const OpenLink = ({ url }: { url: string }) => (
  <a href={url} target="_blank" rel="noreferrer" className={LINK_BUTTON.secondary}>
    Open
  </a>
)

function NothingPublic() {
  const { reflection } = useOpenReflection()
  if (listPublishedNamespaces(reflection).length > 0) return null
  return (
    <p className="border-edge border-s-2 ps-3 text-sm leading-6">
      Nothing is public yet, so nobody can enter with a link.{' '}
      <Link
        to="/reflections/$reflectionId"
        params={{ reflectionId: reflection.id }}
        className="text-accent underline underline-offset-2"
      >
        Publish a folder first
      </Link>
      .
    </p>
  )
}

const STATUSES: Record<ShareLinkState, { readonly label: string; readonly className: string }> = {
  active: { label: 'Active', className: 'text-accent' },
  used_up: { label: 'Used up', className: 'text-ink' },
  expired: { label: 'Expired', className: 'text-ink' },
  revoked: { label: 'Revoked', className: 'text-alarm' },
}

function LinkRow({ link, now }: { link: ShareLink; now: number }) {
  const { namespaces, reaches, expiresAt, createdAt } = link
  const status = getShareLinkState(link, now)
  const { label, className } = STATUSES[status]
  return (
    <li data-status={status} className="flex flex-col gap-3 py-3 text-sm leading-6">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-1">
        <div className="min-w-0 flex-1 basis-56">
          <p>
            <span className={`font-medium ${className}`}>{label}</span> · {describeUses(link)}
            {expiresAt && (
              <>
                {' · '}
                {status === 'expired' ? 'expired ' : 'expires '}
                <time dateTime={expiresAt}>{formatTime(expiresAt)}</time>
              </>
            )}
          </p>
          <p className="text-soft wrap-anywhere">
            {namespaces ? namespaces.join(', ') : 'all public folders'} · created{' '}
            <time dateTime={createdAt}>{formatTime(createdAt)}</time>
          </p>
          {status === 'active' && reaches.length === 0 && (
            <p>Nobody can enter with it until one of its folders is public.</p>
          )}
        </div>
        {status !== 'revoked' && <RevokeButton link={link} />}
      </div>
    </li>
  )
}

function RevokeButton({ link }: { link: ShareLink }) {
  const { id: reflectionId } = useOpenReflection().reflection
  const revoke = useReflectionChange(reflectionId, (reflections) =>
    reflections.unshare({ reflectionId, linkId: link.id }),
  )
  return (
    <ConfirmButton
      label={`Revoke the link created ${formatTime(link.createdAt)}`}
      text="Revoke"
      button={{ variant: 'ghost' }}
      yes="Revoke permanently"
      action={revoke}
    >
      <p>Revoke this link? It stops working, and conversations that use it end at once.</p>
    </ConfirmButton>
  )
}

export function describeUses({ uses, maxUses }: Pick<ShareLink, 'uses' | 'maxUses'>): string {
  if (maxUses !== undefined) return `${uses} of ${maxUses} used`
  if (uses === 0) return 'not used yet'
  return uses === 1 ? 'used once' : `used ${uses} times`
}

const EMPTY_FORM: LinkForm = { namespaces: [], maxUses: '', lifetime: '' }

function CreateLink({ onCreated }: { onCreated: (link: CreatedShareLink) => void }) {
  const { id: reflectionId } = useOpenReflection().reflection
  const [form, setForm] = useState(EMPTY_FORM)
  const [problem, setProblem] = useState<string>()
  const create = useReflectionChange(reflectionId, async (reflections, link: CreateShareLink) => {
    onCreated(await reflections.share({ reflectionId, ...link }))
    setForm(EMPTY_FORM)
  })
  const submit = () => {
    if (create.isPending) return
    const parsed = parseLinkForm(form, Date.now())
    setProblem('problem' in parsed ? parsed.problem : undefined)
    if ('link' in parsed) create.mutate(parsed.link)
  }
  return (
    <Form aria-label="New link" className="flex max-w-xl flex-col gap-4" onSubmit={submit}>
      <FolderChoice form={form} onForm={setForm} />
      <div className="grid grid-cols-2 gap-3">
        <TextField
          label="Maximum uses"
          placeholder="Unlimited"
          inputMode="numeric"
          value={form.maxUses}
          onChange={(event) => setForm({ ...form, maxUses: event.target.value })}
        />
        <Choice
          label="Expires"
          value={form.lifetime}
          options={LIFETIMES}
          onChoose={(lifetime) => setForm({ ...form, lifetime: lifetime as Lifetime })}
        />
      </div>
      <Button type="submit" variant="primary" className="self-start" aria-disabled={create.isPending}>
        {create.isPending ? 'Creating…' : 'Create link'}
      </Button>
      {(problem ?? create.error) && (
        <Notice>{problem ?? (create.error && getErrorMessage(create.error))}</Notice>
      )}
    </Form>
  )
}

/** The public folders that the link includes. With one public folder there is no choice. */
function FolderChoice({ form, onForm }: { form: LinkForm; onForm: (form: LinkForm) => void }) {
  const published = listPublishedNamespaces(useOpenReflection().reflection)
  if (published.length < 2) return null
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 text-sm font-medium">Folders</legend>
      {published.map((name) => (
        <CheckField
          key={name}
          label={<span className="font-mono">{name}</span>}
          checked={form.namespaces.includes(name)}
          onCheck={(isChecked) =>
            onForm({
              ...form,
              namespaces: isChecked
                ? [...form.namespaces, name]
                : form.namespaces.filter((each) => each !== name),
            })
          }
        />
      ))}
      <p className="text-soft text-sm">
        If you choose none, it includes every folder that is public when somebody uses it.
      </p>
    </fieldset>
  )
}

/** Lifetimes of a link, in hours. */
const LIFETIMES = {
  '': 'Never',
  '1': 'In 1 hour',
  '24': 'In 1 day',
  '168': 'In 7 days',
  '720': 'In 30 days',
} as const

type Lifetime = keyof typeof LIFETIMES

export interface LinkForm {
  /** Empty means every public folder. */
  readonly namespaces: readonly string[]
  readonly maxUses: string
  readonly lifetime: Lifetime
}

const MAX_USES = 1_000_000
const HOUR_MS = 3_600_000

/** Checks the form: the link to create, or an error message. */
export function parseLinkForm(
  { namespaces, maxUses, lifetime }: LinkForm,
  now: number,
): { readonly link: CreateShareLink } | { readonly problem: string } {
  const uses = maxUses.trim() === '' ? undefined : Number(maxUses)
  if (uses !== undefined && !(Number.isInteger(uses) && uses >= 1 && uses <= MAX_USES)) {
    return {
      problem: 'Maximum uses must be a whole number from 1 to 1,000,000. Leave it empty for no limit.',
    }
  }
  return {
    link: {
      ...(namespaces.length > 0 && { namespaces: [...namespaces] }),
      ...(uses !== undefined && { maxUses: uses }),
      ...(lifetime !== '' && { expiresAt: new Date(now + Number(lifetime) * HOUR_MS).toISOString() }),
    },
  }
}

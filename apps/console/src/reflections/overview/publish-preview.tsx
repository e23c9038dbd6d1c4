import type { PublishPreview } from '@parley/contracts'
import { Button } from '../../ui/button.tsx'
import { CodeBox } from '../../ui/code-box.tsx'
import { DiffLineView } from '../../ui/diff-line-view.tsx'
import { Notice } from '../../ui/notice.tsx'
import { escapeInvisible } from '../../ui/escape-invisible.ts'
import { pluralize } from '../../ui/format.ts'

/** The public agent’s new summary and prompt, and the visitors that the change affects. */
export function PublishPreviewView({ preview, publish }: { preview: PublishPreview; publish: boolean }) {
  const { dossier, firstMessage, prompt, refused } = preview
  return (
    <>
      <p className="max-w-prose">{describeSummaryChange(preview, publish)}</p>
      {dossier.added.length + dossier.removed.length > 0 && (
        <ul
          aria-label="The public agent’s summary"
          tabIndex={0}
          className="border-line max-h-72 overflow-y-auto rounded-md border py-1"
        >
          {dossier.removed.map((line) => (
            <li key={line}>
              <DiffLineView kind="removed" text={line} />
            </li>
          ))}
          {dossier.added.map((line) => (
            <li key={line}>
              <DiffLineView kind="added" text={line} />
            </li>
          ))}
        </ul>
      )}
      <details>
        <summary className="text-soft hover:text-ink w-fit py-1">Full prompt</summary>
        <p className="pt-1">
          First message: <q>{escapeInvisible(firstMessage)}</q>
        </p>
        <CodeBox label="Full prompt" className="mt-2 max-h-96 px-2.5">
          {prompt}
        </CodeBox>
      </details>
      <p className="max-w-prose">{describeAffected(preview, publish)}</p>
      {refused.length > 0 && (
        <Notice>
          This version does not pass the checks: {refused.join('; ')}. Visitors cannot enter until it does.
        </Notice>
      )}
    </>
  )
}

/** The change to the public agent’s searchable facts and to its summary. */
export function describeSummaryChange(
  { dossier, facts }: Pick<PublishPreview, 'dossier' | 'facts'>,
  publish: boolean,
): string {
  const { added, removed, kept } = dossier
  const becomes = publish ? (facts === 1 ? 'becomes' : 'become') : `${facts === 1 ? 'is' : 'are'} no longer`
  const search =
    facts === 0 ? 'It has no active facts.' : `${pluralize(facts, 'fact')} ${becomes} searchable.`
  if (added.length + removed.length === 0) return `${search} The public agent’s summary stays the same.`
  const changes = [
    added.length > 0 && `adds ${pluralize(added.length, 'fact')} to its summary`,
    removed.length > 0 &&
      (added.length > 0
        ? `removes ${removed.length}`
        : `removes ${pluralize(removed.length, 'fact')} from its summary`),
  ]
  return `${search} This ${changes.filter(Boolean).join(' and ')} (${kept.length} unchanged):`
}

/** The share links and current visitors that the change affects. */
export function describeAffected(
  { links, visitors }: Pick<PublishPreview, 'links' | 'visitors'>,
  publish: boolean,
): string {
  const included =
    links === 1 ? '1 share link includes it.' : `${links === 0 ? 'No' : links} share links include it.`
  if (visitors === 0) return `${included} No visitor is talking now.`
  const effect = publish
    ? 'their conversation keeps the content it started with'
    : 'typed conversations end at once, calls end at the next question, and the link can be opened again'
  return `${included} ${pluralize(visitors, 'visitor')} may be talking now: ${effect}.`
}

interface ChangedPreviewProps {
  readonly shown: PublishPreview
  readonly latest: PublishPreview
  /** Whether the server refused to publish because the preview was outdated. */
  readonly wasRefused: boolean
  readonly onReload: () => void
}

/** The changes since the preview was opened. The open preview stays the same until the reader reloads it. */
export function ChangedPreview({ shown, latest, wasRefused, onReload }: ChangedPreviewProps) {
  return (
    <>
      <Notice
        action={
          <Button
            onClick={({ currentTarget }) => {
              currentTarget.closest<HTMLElement>('[role="group"]')?.focus()
              onReload()
            }}
          >
            Reload
          </Button>
        }
      >
        {wasRefused
          ? 'Nothing was published: the content changed while you were reading. Reload, then decide.'
          : 'The content changed since you opened this. Reload before you decide.'}
      </Notice>
      <ul
        aria-label="Changes since you opened this"
        tabIndex={0}
        className="border-line max-h-60 overflow-y-auto rounded-md border py-1"
      >
        {comparePreviews(shown, latest).map(({ kind, text }, at) => (
          <li key={at}>
            <DiffLineView kind={kind} text={text} />
          </li>
        ))}
      </ul>
    </>
  )
}

interface PreviewChange {
  readonly kind: 'added' | 'removed' | 'about'
  readonly text: string
}

type ComparedPreview = Pick<PublishPreview, 'published' | 'sources' | 'facts' | 'dossier'>

export function comparePreviews(before: ComparedPreview, after: ComparedPreview): readonly PreviewChange[] {
  const changes = [
    ...compareLists(before.published, after.published, getText, (name) => `${name} is public`),
    ...compareLists(before.sources, after.sources, getId, ({ title }) => `Source: ${title}`),
    ...findReplacedSources(before, after),
    ...compareLists(listSummaryLines(before), listSummaryLines(after), getText, getText),
    ...compareFactCounts(before.facts, after.facts),
  ]
  return changes.length > 0 ? changes : [createNote('The public agent’s prompt changed.')]
}

const createNote = (text: string): PreviewChange => ({ kind: 'about', text })

const getText = (text: string) => text

const getId = ({ id }: { readonly id: string }) => id

const listSummaryLines = ({ dossier }: ComparedPreview) => [...dossier.kept, ...dossier.added]

function compareLists<Item>(
  before: readonly Item[],
  after: readonly Item[],
  getKey: (item: Item) => string,
  describe: (item: Item) => string,
): readonly PreviewChange[] {
  const findMissing = (some: readonly Item[], others: readonly Item[]) => {
    const otherKeys = new Set(others.map(getKey))
    return some.filter((item) => !otherKeys.has(getKey(item)))
  }
  return [
    ...findMissing(before, after).map((item) => ({ kind: 'removed' as const, text: describe(item) })),
    ...findMissing(after, before).map((item) => ({ kind: 'added' as const, text: describe(item) })),
  ]
}

const findReplacedSources = (before: ComparedPreview, after: ComparedPreview) =>
  after.sources
    .filter(({ id, contentHash }) =>
      before.sources.some((source) => source.id === id && source.contentHash !== contentHash),
    )
    .map(({ title }) => createNote(`The source ${title} has a new version.`))

const compareFactCounts = (before: number, after: number) =>
  before === after ? [] : [createNote(`Searchable facts: ${after} instead of ${before}.`)]

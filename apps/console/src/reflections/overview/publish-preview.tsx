import type { PublishPreview } from '@parley/contracts'
import { Button } from '../../ui/button.tsx'
import { DiffLineView } from '../../ui/diff-line-view.tsx'
import { Notice } from '../../ui/notice.tsx'
import { visibleText } from '../../ui/visible-text.ts'

interface PublishPreviewProps {
  readonly preview: PublishPreview
  readonly publish: boolean
}

/** What the public agent would hold, line by line, and whom the change touches. */
export function PublishPreviewView({ preview, publish }: PublishPreviewProps) {
  const { dossier, firstMessage, prompt, refused } = preview
  return (
    <>
      <p className="max-w-prose">{dossierInWords(preview, publish)}</p>
      {dossier.added.length + dossier.removed.length > 0 && (
        <ul
          aria-label="What the public agent knows by heart"
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
        <summary className="text-soft hover:text-ink w-fit py-1">All that it is told, word for word</summary>
        <p className="pt-1">
          It greets with: <q>{visibleText(firstMessage)}</q>
        </p>
        <pre
          tabIndex={0}
          className="border-line bg-shade mt-2 max-h-96 overflow-auto rounded-md border p-3 font-mono text-xs leading-5 wrap-anywhere whitespace-pre-wrap"
        >
          {visibleText(prompt)}
        </pre>
      </details>
      <p className="max-w-prose">{touchedInWords(preview, publish)}</p>
      {refused.length > 0 && (
        <Notice>
          The rules would not let it serve: {refused.join('; ')}. Until they do, visitors are not let in.
        </Notice>
      )}
    </>
  )
}

/** What changes of what the public agent knows by heart. */
export function dossierInWords(
  { dossier, facts }: Pick<PublishPreview, 'dossier' | 'facts'>,
  publish: boolean,
): string {
  const { added, removed, kept } = dossier
  const counted = `${facts} ${facts === 1 ? 'fact' : 'facts'}`
  const looked = publish ? `${counted} can be looked up then.` : `${counted} can no longer be looked up.`
  const found = facts === 0 ? 'No fact counts in it.' : looked
  if (added.length + removed.length === 0)
    return `${found} What the public agent knows by heart stays as it is.`
  const changes = [
    added.length > 0 && `gains ${lines(added.length)}`,
    removed.length > 0 && `loses ${lines(removed.length)}`,
  ]
  return `${found} What it knows by heart ${changes.filter(Boolean).join(' and ')}, and keeps ${kept.length}:`
}

const lines = (count: number) => (count === 1 ? '1 line' : `${count} lines`)

/** Whom it touches: those who come by links, and those who are there now. */
export function touchedInWords(
  { links, visitors }: Pick<PublishPreview, 'links' | 'visitors'>,
  publish: boolean,
): string {
  const reach =
    links === 1 ? '1 share link reaches it.' : `${links === 0 ? 'No' : links} share links reach it.`
  if (visitors === 0) return `${reach} No visitor is talking now.`
  const who = visitors === 1 ? '1 visitor' : `${visitors} visitors`
  const then = publish
    ? 'what they are told stays as it was when they began'
    : 'what is typed ends at once, a call says goodbye at its next question, and the link can be opened again'
  return `${reach} ${who} may be talking now: ${then}.`
}

interface ChangedPreviewProps {
  readonly looked: PublishPreview
  readonly latest: PublishPreview
  /** Whether somebody said yes to what they had looked at, and it was not done. */
  readonly wasRefused: boolean
  readonly onLook: () => void
}

/** What changed since somebody began to read. What they read stays as it is until they ask for the other. */
export function ChangedPreview({ looked, latest, wasRefused, onLook }: ChangedPreviewProps) {
  return (
    <>
      <Notice
        action={
          <Button
            onClick={({ currentTarget }) => {
              currentTarget.closest<HTMLElement>('[role="group"]')?.focus()
              onLook()
            }}
          >
            Look again
          </Button>
        }
      >
        {wasRefused
          ? 'Nothing was done: this changed while you were reading. Look again, then decide.'
          : 'It changed since you opened this. Look again before you decide.'}
      </Notice>
      <ul
        aria-label="What changed since"
        tabIndex={0}
        className="border-line max-h-60 overflow-y-auto rounded-md border py-1"
      >
        {previewChanges(looked, latest).map(({ kind, text }, at) => (
          <li key={at}>
            <DiffLineView kind={kind} text={text} />
          </li>
        ))}
      </ul>
    </>
  )
}

/** One thing that another preview says otherwise. */
interface PreviewChange {
  readonly kind: 'added' | 'removed' | 'about'
  readonly text: string
}

type Compared = Pick<PublishPreview, 'published' | 'sources' | 'facts' | 'dossier'>

/** What came to a preview, and what went, since another one was looked at. */
export function previewChanges(before: Compared, after: Compared): readonly PreviewChange[] {
  const changes = [
    ...differences(before.published, after.published, itself, (name) => `${name} is public`),
    ...differences(before.sources, after.sources, idOf, ({ title }) => `Source: ${title}`),
    ...renewed(before, after),
    ...differences(toldOf(before), toldOf(after), itself, itself),
    ...counted(before.facts, after.facts),
  ]
  return changes.length > 0 ? changes : [about('The words that the public agent is told are others.')]
}

const about = (text: string): PreviewChange => ({ kind: 'about', text })

const itself = (text: string) => text

const idOf = ({ id }: { readonly id: string }) => id

const toldOf = ({ dossier }: Compared) => [...dossier.kept, ...dossier.added]

function differences<Item>(
  before: readonly Item[],
  after: readonly Item[],
  keyOf: (item: Item) => string,
  say: (item: Item) => string,
): readonly PreviewChange[] {
  const beyond = (some: readonly Item[], others: readonly Item[]) => {
    const known = new Set(others.map(keyOf))
    return some.filter((item) => !known.has(keyOf(item)))
  }
  return [
    ...beyond(before, after).map((item) => ({ kind: 'removed' as const, text: say(item) })),
    ...beyond(after, before).map((item) => ({ kind: 'added' as const, text: say(item) })),
  ]
}

const renewed = (before: Compared, after: Compared) =>
  after.sources
    .filter(({ id, contentHash }) =>
      before.sources.some((source) => source.id === id && source.contentHash !== contentHash),
    )
    .map(({ title }) => about(`The source ${title} has a new version.`))

const counted = (before: number, after: number) =>
  before === after ? [] : [about(`Facts that can be looked up: ${after} in place of ${before}.`)]

import type { PublishPreview } from '@parley/contracts'
import { Button } from '../../ui/button.tsx'
import { DiffLineView } from '../../ui/diff-line-view.tsx'
import { Notice } from '../../ui/notice.tsx'

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

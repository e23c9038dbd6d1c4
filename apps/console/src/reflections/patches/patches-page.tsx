import { useState } from 'react'
import { untilPatch } from '@parley/api-client'
import type { Patch } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { PageBody, Section } from '../../ui/page-body.tsx'
import { PageList } from '../../ui/page-list.tsx'
import { Question } from '../../ui/question.tsx'
import { useHeldRows } from '../../ui/use-held-rows.ts'
import { useOpener } from '../../ui/use-opener.ts'
import { usePages } from '../../ui/use-pages.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { reflectionKey } from '../reflection-keys.ts'
import { useReflectionChange } from '../use-reflections.ts'
import { objectedIn, patchChanges } from './patch-changes.ts'
import { PatchView } from './patch-view.tsx'

export function PatchesPage() {
  const { client } = useConsoleHost()
  const { reflection, rights, waiting } = useOpenReflection()
  const items = waiting.items?.toSorted(earlierFirst) ?? []
  const { rows, own } = useHeldRows({ items, keyOf: idOf, isWhole: waiting.more === undefined })
  const held = { ...waiting, items: waiting.items && rows }
  const all = usePages({
    key: [...reflectionKey(reflection.id), 'patches', 'all'],
    read: (page) => client.reflections.patches({ reflectionId: reflection.id, ...page }),
  })
  const settled = { ...all, items: all.items?.filter(({ status }) => status !== 'proposed') }
  return (
    <PageBody>
      <p className="text-soft max-w-prose text-sm leading-6">
        A patch holds the facts that were found in one source, or a correction.{' '}
        {rights.mayTeach ? (
          <>
            It is approved or rejected as a whole. By keys: Tab to one, then{' '}
            <kbd className="font-mono">a</kbd> approves it, <kbd className="font-mono">r</kbd> rejects it,{' '}
            <kbd className="font-mono">j</kbd> and <kbd className="font-mono">k</kbd> go on and back.
          </>
        ) : (
          'Operators of this reflection approve or reject it as a whole.'
        )}
      </p>
      <Section title={rights.mayTeach ? 'Waiting for you' : 'Waiting'}>
        {rights.mayTeach && rows.length > 0 && <ApproveAll patches={items} onDecide={own} />}
        <PageList
          pages={held}
          label="Waiting patches"
          empty={<p className="text-sm">Nothing waits.</p>}
          row={({ item, isGone }) => (
            <PatchView key={item.id} patch={item} isGone={isGone} onDecide={() => own(item)} />
          )}
        />
      </Section>
      {/* Below a list whose length is not known yet, it would jump. */}
      {(waiting.items ?? waiting.error) && (
        <Section title="Settled">
          <PageList
            pages={settled}
            label="Settled patches"
            empty={<p className="text-sm">{all.more ? 'None among the latest.' : 'None yet.'}</p>}
            row={row}
          />
        </Section>
      )}
    </PageBody>
  )
}

const earlierFirst = (a: Patch, b: Patch): number => a.createdAt.localeCompare(b.createdAt)

const idOf = ({ id }: Patch): string => id

const row = (patch: Patch) => <PatchView key={patch.id} patch={patch} />

interface ApproveAllProps {
  /** What waits now. */
  readonly patches: readonly Patch[]
  readonly onDecide: (...patches: readonly Patch[]) => void
}

/** Approves one after the other, so that each is looked at by the rules with the one before it known. */
function ApproveAll({ patches, onDecide }: ApproveAllProps) {
  const { id: reflectionId } = useOpenReflection().reflection
  const asking = useOpener()
  // What comes while somebody reads the question is not what they say yes to.
  const [askedFor, setAskedFor] = useState<ReadonlySet<string>>(new Set())
  const asked = patches.filter(({ id }) => askedFor.has(id))
  const approve = useReflectionChange(reflectionId, async (reflections) => {
    onDecide(...asked)
    for (const { id: patchId } of asked) {
      await reflections.review({ reflectionId, patchId, said: 'approve' })
      await untilPatch(reflections, { reflectionId, patchId }, ({ status }) => status !== 'proposed')
    }
  })
  const ask = () => {
    setAskedFor(new Set(patches.map(({ id }) => id)))
    asking.opener.onClick()
  }
  return (
    <>
      {/* The room is there before the second comes, which would push the first away. */}
      <div className="min-h-9 max-sm:min-h-11">
        {patches.length > 1 ? (
          <Button {...asking.opener} onClick={ask}>
            Approve all {patches.length}
          </Button>
        ) : (
          <p className="text-soft text-sm leading-9">One patch is waiting.</p>
        )}
      </div>
      {asking.isOpen && (
        <Question
          label="Approve all"
          yes={approve.isPending ? 'Approving…' : `Approve all ${asked.length}`}
          no="Look at each"
          look="main"
          doing={{ ...approve, mutate: () => approve.mutate(undefined, { onSuccess: asking.close }) }}
          onClose={asking.close}
        >
          <p>{allInWords(asked)}</p>
        </Question>
      )}
    </>
  )
}

/** What approving these patches would do, together. */
export function allInWords(patches: readonly Patch[]): string {
  const added = patches.flatMap((patch) => patchChanges(patch).changes.filter(({ kind }) => kind === 'added'))
  const ended = patches.reduce((sum, { supersedes }) => sum + supersedes.length, 0)
  const objected = patches.filter((patch) => objectedIn(patch).length > 0).length
  const counts = added.length === 1 ? '1 fact counts then' : `${added.length} facts count then`
  const ends =
    ended === 0 ? '' : `, and ${ended} that counted before no longer ${ended === 1 ? 'does' : 'do'}`
  const objections =
    objected === 0
      ? 'No rule objects to any of them.'
      : `Rules object to ${objected} of the patches: better look at ${objected === 1 ? 'that one' : 'those'} first.`
  return `${counts}${ends}. ${objections}`
}

import { useState } from 'react'
import { waitForPatch } from '@parley/api-client'
import { type Patch, listPatchChanges } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { Intro, PageBody, Section } from '../../ui/page-body.tsx'
import { PageList } from '../../ui/page-list.tsx'
import { ConfirmButton } from '../../ui/confirm-form.tsx'
import { useStableRows } from '../../ui/stable-rows.tsx'
import { usePages } from '../../ui/use-pages.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { getReflectionKey, useReflectionChange } from '../use-reflections.ts'
import { listFlaggedRules, PatchView } from './patch-view.tsx'
import { pluralize } from '../../ui/format.ts'

export function PatchesPage() {
  const { client } = useConsoleHost()
  const { reflection, rights, waiting } = useOpenReflection()
  const items = waiting.items?.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt)) ?? []
  const { rows, markDecided } = useStableRows({
    items,
    getKey: getId,
    isWhole: waiting.loadMore === undefined,
  })
  const stable = { ...waiting, items: waiting.items && rows }
  const all = usePages({
    key: [...getReflectionKey(reflection.id), 'patches', 'all'],
    read: (page) => client.reflections.patches({ reflectionId: reflection.id, ...page }),
  })
  const decided = { ...all, items: all.items?.filter(({ status }) => status !== 'proposed') }
  return (
    <PageBody>
      <Intro>
        Each change has the facts from one source, or an edit.{' '}
        {rights.mayTeach ? (
          <>
            Approve or reject it as a whole. Keyboard: Tab to a change, then press{' '}
            <kbd className="font-mono">a</kbd> to approve, <kbd className="font-mono">r</kbd> to reject,{' '}
            <kbd className="font-mono">j</kbd> or <kbd className="font-mono">k</kbd> for the next or previous
            one.
          </>
        ) : (
          'Operators of this reflection approve or reject it as a whole.'
        )}
      </Intro>
      <Section title={rights.mayTeach ? 'Waiting for you' : 'Waiting'}>
        {rights.mayTeach && rows.length > 0 && <ApproveAll patches={items} onDecide={markDecided} />}
        <PageList
          pages={stable}
          label="Waiting changes"
          empty={<p className="text-sm">Nothing to review.</p>}
          row={({ item, isGone }) => (
            <PatchView key={item.id} patch={item} isGone={isGone} onDecide={() => markDecided(item)} />
          )}
        />
      </Section>
      {/* Not before the list above is loaded, which would push this down. */}
      {(waiting.items ?? waiting.error) && (
        <Section title="History">
          <PageList
            pages={decided}
            label="Decided changes"
            empty={<p className="text-sm">{all.loadMore ? 'None among the latest changes.' : 'None yet.'}</p>}
            row={(patch) => <PatchView key={patch.id} patch={patch} />}
          />
        </Section>
      )}
    </PageBody>
  )
}

const getId = ({ id }: Patch): string => id

interface ApproveAllProps {
  readonly patches: readonly Patch[]
  readonly onDecide: (...patches: readonly Patch[]) => void
}

/** Approves one patch at a time, so that each is checked after the previous one. */
function ApproveAll({ patches, onDecide }: ApproveAllProps) {
  const { id: reflectionId } = useOpenReflection().reflection
  // Patches that arrive while the question is open are not included.
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<string>>(new Set())
  const selected = patches.filter(({ id }) => selectedIds.has(id))
  const approve = useReflectionChange(reflectionId, async (reflections) => {
    onDecide(...selected)
    for (const { id: patchId } of selected) {
      await reflections.review({ reflectionId, patchId, said: 'approve' })
      await waitForPatch(reflections, { reflectionId, patchId }, ({ status }) => status !== 'proposed')
    }
  })
  return (
    // The space is reserved, so that the list does not move when a second patch arrives.
    <div className="flex min-h-9 flex-col gap-3 max-sm:min-h-11">
      {patches.length > 1 || approve.isPending ? (
        <ConfirmButton
          label={`Approve all ${patches.length}`}
          button={{ className: 'self-start' }}
          yes={approve.isPending ? 'Approving…' : `Approve all ${selected.length}`}
          no="Review each"
          variant="primary"
          action={approve}
          onOpen={() => setSelectedIds(new Set(patches.map(({ id }) => id)))}
        >
          <p>{describeApproval(selected)}</p>
        </ConfirmButton>
      ) : (
        <p className="text-soft text-sm leading-9">1 change is waiting.</p>
      )}
    </div>
  )
}

export function describeApproval(patches: readonly Patch[]): string {
  const added = patches.flatMap((patch) =>
    listPatchChanges(patch).changes.filter(({ kind }) => kind === 'added'),
  )
  const ended = patches.reduce((sum, { supersedes }) => sum + supersedes.length, 0)
  const flagged = patches.filter((patch) => listFlaggedRules(patch).length > 0).length
  const adds = `Adds ${pluralize(added.length, 'fact')}`
  const replaces = ended === 0 ? '' : ` and replaces ${ended}`
  const problems =
    flagged === 0
      ? 'No problems found.'
      : `${flagged} of the changes ${flagged === 1 ? 'is' : 'are'} flagged: review ${flagged === 1 ? 'it' : 'them'} first.`
  return `${adds}${replaces}. ${problems}`
}

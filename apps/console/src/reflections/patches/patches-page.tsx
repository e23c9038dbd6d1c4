import type { Patch } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { PageBody, Section } from '../../ui/page-body.tsx'
import { PageList } from '../../ui/page-list.tsx'
import { useHeldRows } from '../../ui/use-held-rows.ts'
import { usePages } from '../../ui/use-pages.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { reflectionKey } from '../reflection-keys.ts'
import { ApproveAll } from './approve-all.tsx'
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

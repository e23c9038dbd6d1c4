import type { Fact, FactOrder } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { PageBody } from '../../ui/page-body.tsx'
import { useWindows } from '../../ui/use-windows.ts'
import { VirtualList } from '../../ui/virtual-list.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { reflectionKey } from '../reflection-keys.ts'
import { FactView } from './fact-view.tsx'
import { FactsFilters, NoFacts } from './facts-filters.tsx'
import { type FactsShown, wantedOf } from './facts-shown.ts'

/** All that was learned, as a time line or by whom it is about, however much it is. */
export function FactsPage({ shown }: { shown: FactsShown }) {
  return (
    <PageBody width="wide">
      <FactsFilters shown={shown} />
      <FactList key={JSON.stringify(shown)} shown={shown} />
    </PageBody>
  )
}

/** Of a fact in pixels, on a screen of usual width. */
const TYPICAL_HEIGHT = 128

function FactList({ shown }: { shown: FactsShown }) {
  const { client } = useConsoleHost()
  const { id: reflectionId } = useOpenReflection().reflection
  const { order, ...wanted } = wantedOf(shown)
  const { count, itemAt, onShown, error, again } = useWindows<Fact>({
    key: [...reflectionKey(reflectionId), 'facts', 'from', order, wanted],
    read: (from) => client.reflections.factsFrom({ reflectionId, order, ...wanted, ...from }),
  })
  const failure = error && (
    <Notice action={<Button onClick={again}>Try again</Button>}>{messageOf(error)}</Notice>
  )
  if (count === undefined) return failure ?? <p className="animate-late text-soft text-sm">Loading…</p>
  return (
    <div className="flex flex-col gap-3">
      <p role="status" className="text-soft text-sm">
        {count === 1 ? '1 fact' : `${count.toLocaleString('en-GB')} facts`}
      </p>
      {count === 0 ? (
        <NoFacts shown={shown} />
      ) : (
        <VirtualList
          label="Facts"
          count={count}
          itemAt={itemAt}
          estimate={TYPICAL_HEIGHT}
          onShown={onShown}
          row={(fact, index) => (
            <>
              <GroupHeading heading={factGroup(fact, itemAt(index - 1), order)} />
              <FactView fact={fact} />
            </>
          )}
        />
      )}
      {failure}
    </div>
  )
}

function GroupHeading({ heading }: { heading: string | undefined }) {
  if (heading === undefined) return null
  return <h2 className="pt-4 font-serif text-lg wrap-anywhere">{visibleText(heading)}</h2>
}

/** The heading that a fact stands under in a list of this order. */
const HEADINGS: Record<FactOrder, (fact: Fact) => string> = {
  subject: ({ subject }) => subject,
  time: ({ validFrom }) => validFrom?.slice(0, 'YYYY'.length) ?? 'No date known',
  added: () => '',
}

/** The heading that begins with this fact; undefined where it goes on under the one before. */
export function factGroup(fact: Fact, before: Fact | undefined, order: FactOrder): string | undefined {
  const heading = HEADINGS[order](fact)
  if (heading === '' || (before && HEADINGS[order](before) === heading)) return undefined
  return heading
}

import { type RefObject, useRef } from 'react'
import { PageHeader } from '../shell/page-header.tsx'
import { Button } from '../ui/button.tsx'
import { messageOf } from '../ui/message-of.ts'
import { Notice } from '../ui/notice.tsx'
import { PageBody } from '../ui/page-body.tsx'
import { useHeldRows } from '../ui/use-held-rows.ts'
import { useRowKeys } from '../ui/use-row-keys.ts'
import { ApprovalView } from './approval-view.tsx'
import { nameOf, useApprovals, useMayDecide } from './use-approvals.ts'

/** Every call that waits for this person, wherever it was asked, to be answered one after the other. */
export function ApprovalsPage() {
  const mayDecide = useMayDecide()
  const { data, error, refetch, dataUpdatedAt } = useApprovals()
  const list = useRef<HTMLUListElement>(null)
  useRowKeys(list)
  const empty = useRef<HTMLDivElement>(null)
  const focusNext = () => {
    const at = rowsIn(list.current).findIndex((row) => row.contains(document.activeElement))
    // What goes is still there while it goes.
    queueMicrotask(() => {
      const left = rowsIn(list.current)
      const next = left[Math.min(Math.max(at, 0), left.length - 1)] ?? empty.current
      next?.focus()
    })
  }
  const items = data?.items ?? []
  const { rows, own } = useHeldRows({ items, keyOf: nameOf, isWhole: data?.more !== true })
  return (
    <>
      <title>Approvals · Parley</title>
      <PageHeader title="Approvals" />
      <PageBody>
        {!mayDecide && (
          <p className="max-w-prose text-sm leading-6">
            Calls of tools are decided on by operators and above. Ask an admin of this server for that role.
          </p>
        )}
        {mayDecide && !data && !error && <p className="animate-late text-soft text-sm">Loading…</p>}
        {data && (
          <div role="status" className="sr-only">
            {items.length === 0 ? 'Nothing waits.' : `${items.length} waiting.`}
          </div>
        )}
        {data && items.length === 0 && <NothingWaits box={empty} />}
        {rows.length > 0 && (
          <ul ref={list} aria-label="Waiting for you" className="flex flex-col gap-10">
            {rows.map(({ item, isGone }) => (
              <ApprovalView
                key={nameOf(item)}
                approval={item}
                isGone={isGone}
                now={dataUpdatedAt}
                onDecide={own}
                focusNext={focusNext}
              />
            ))}
          </ul>
        )}
        {error && (
          <Notice action={<Button onClick={() => void refetch()}>Try again</Button>}>
            {messageOf(error)}
          </Notice>
        )}
        {data?.more && (
          <p className="text-soft text-sm">More wait behind these; they come up as these are answered.</p>
        )}
      </PageBody>
    </>
  )
}

const rowsIn = (list: HTMLElement | null) => [...(list?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]

const NothingWaits = ({ box }: { box: RefObject<HTMLDivElement | null> }) => (
  <div ref={box} tabIndex={-1} className="flex max-w-prose flex-col gap-3 text-sm leading-6 outline-none">
    <p className="font-serif text-xl">Nothing waits for you</p>
    <p>
      Where an agent wants to do something that your rules do not settle, such as writing a file or running a
      command, its turn stops and asks. What it would do is shown here, from all sessions, until somebody says
      yes or no.
    </p>
    <p className="text-soft">A turn that waits costs nothing and is lost by no restart.</p>
  </div>
)

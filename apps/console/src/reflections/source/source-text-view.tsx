import { useQuery } from '@tanstack/react-query'
import { type Ref, useCallback, useRef } from 'react'
import type { Source, SourcePassage } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { useWindows } from '../../ui/use-windows.ts'
import { VirtualList } from '../../ui/virtual-list.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { placeInWords } from '../place-in-words.ts'
import { reflectionKey } from '../reflection-keys.ts'
import { type Passage, passageIn } from './passage.ts'

interface SourceTextProps {
  readonly source: Source
  readonly passage: Passage
}

/** What a source says, as it was read, from the passage that is looked for. */
export function SourceTextView({ source, passage }: SourceTextProps) {
  const { client } = useConsoleHost()
  const { id: reflectionId } = useOpenReflection().reflection
  const { start } = passage
  const found = useQuery({
    queryKey: [...textKey(reflectionId, source), 'at', start],
    queryFn: async () => {
      const words = start === undefined ? {} : { words: start }
      const { foundAt } = await client.reflections.sourceText({
        reflectionId,
        sourceId: source.id,
        limit: 1,
        ...words,
      })
      return foundAt ?? null
    },
    enabled: start !== undefined,
    retry: false,
  })
  if (start !== undefined && found.isPending) {
    return <p className="animate-late text-soft text-sm">Looking for the passage…</p>
  }
  return (
    <>
      {start !== undefined && found.data === null && (
        <p role="status" className="border-line border-s-2 ps-3 text-sm leading-6">
          The passage does not stand in this source any more: it was given anew since. Here is what it says
          now.
        </p>
      )}
      <Passages key={start} source={source} passage={passage} foundAt={found.data ?? undefined} />
    </>
  )
}

const textKey = (reflectionId: Parameters<typeof reflectionKey>[0], { id, state, chunks }: Source) => [
  ...reflectionKey(reflectionId),
  'text',
  id,
  // Read anew once another version of it is there.
  state,
  chunks,
]

function Passages({ source, passage, foundAt }: SourceTextProps & { readonly foundAt: number | undefined }) {
  const { client } = useConsoleHost()
  const { id: reflectionId } = useOpenReflection().reflection
  const at = foundAt === undefined ? undefined : foundAt - 1
  const { count, itemAt, onShown, error, again } = useWindows({
    key: textKey(reflectionId, source),
    read: (from) => client.reflections.sourceText({ reflectionId, sourceId: source.id, ...from }),
    startAt: at,
  })
  const held = useHeldInView()
  const failure = error && (
    <Notice action={<Button onClick={again}>Try again</Button>}>{messageOf(error)}</Notice>
  )
  if (count === undefined) {
    return failure ?? <p className="animate-late text-soft text-sm">Loading the text…</p>
  }
  if (count === 0) return <p className="text-soft text-sm leading-6">There is no text of it yet.</p>
  return (
    <>
      {failure}
      <VirtualList
        label={`What ${source.title} says`}
        count={count}
        itemAt={itemAt}
        estimate={TYPICAL_HEIGHT}
        onShown={onShown}
        startAt={at}
        row={(item, index) => <PassageView item={item} passage={index === at ? passage : {}} held={held} />}
      />
    </>
  )
}

/** Of a passage in pixels, on a screen of usual width. */
const TYPICAL_HEIGHT = 260

interface PassageViewProps {
  readonly item: SourcePassage
  readonly passage: Passage
  /** Given what is marked. */
  readonly held: Ref<HTMLElement>
}

function PassageView({ item, passage, held }: PassageViewProps) {
  const where = placeInWords(item.place)
  const [from, to] = passageIn(item.text, passage) ?? [0, 0]
  return (
    <div className="flex flex-col gap-1 py-4">
      {where !== '' && <p className="text-soft text-xs leading-5">{visibleText(where)}</p>}
      <p className="max-w-prose leading-7 wrap-anywhere whitespace-pre-wrap">
        {visibleText(item.text.slice(0, from))}
        {to > from && (
          <mark ref={held} className="bg-added text-ink rounded-sm px-0.5">
            {visibleText(item.text.slice(from, to))}
          </mark>
        )}
        {visibleText(item.text.slice(to))}
      </p>
    </div>
  )
}

/** By these a person moves a page. */
const MOVES = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const

/**
 * Keeps what it is given to in the middle of the page that it scrolls with, whatever is read or measured around it,
 * until somebody moves the page.
 */
function useHeldInView(): (held: HTMLElement | null) => (() => void) | undefined {
  // Outlives what is held: a list draws it anew where one comes back to it.
  const isMoved = useRef(false)
  return useCallback((held) => {
    const page = held?.closest<HTMLElement>('[data-scrolls]')
    if (!held || !page || isMoved.current) return undefined
    const show = () =>
      held.scrollIntoView({ block: held.offsetHeight > page.clientHeight ? 'start' : 'center' })
    const around = new ResizeObserver(show)
    for (const one of ancestorsUpTo(page, held)) around.observe(one)
    const letGo = () => {
      around.disconnect()
      page.removeEventListener('scroll', show)
      for (const move of MOVES) window.removeEventListener(move, onMove, true)
    }
    const onMove = () => {
      isMoved.current = true
      letGo()
    }
    // A list that begins at a row goes on towards it while it measures.
    page.addEventListener('scroll', show)
    for (const move of MOVES) window.addEventListener(move, onMove, { capture: true, passive: true })
    show()
    return letGo
  }, [])
}

const ancestorsUpTo = (last: HTMLElement, { parentElement }: HTMLElement): readonly HTMLElement[] =>
  !parentElement || parentElement === last ? [last] : [parentElement, ...ancestorsUpTo(last, parentElement)]

import { Dialog } from 'radix-ui'
import { type ReactNode, useRef } from 'react'
import { focusIfLost } from './focus.ts'
import { IconButton } from './button.tsx'

const PLACES = {
  middle: 'm-auto w-[min(26rem,calc(100vw-2rem))] rounded-lg border border-line p-6',
  top: 'mx-auto mt-[12dvh] h-fit w-[min(36rem,calc(100vw-2rem))] rounded-lg border border-line max-sm:mt-4',
  side: 'me-auto h-dvh w-[min(19rem,85vw)] border-e border-line',
} as const

interface PanelProps {
  readonly title: string
  readonly place: keyof typeof PLACES
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  /** Moves the focus when the panel opens; returns false to focus its beginning. */
  readonly focusFirst?: (() => boolean) | undefined
  readonly children: ReactNode
}

/** A dialog over the page. Without the library's overlay, which adds an inline style. */
export function Panel({ title, place, open, onOpenChange, focusFirst, children }: PanelProps) {
  const opener = useRef<Element>(null)
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <div className="fixed inset-0 z-20 flex overflow-auto bg-[rgb(0_0_0/0.4)]">
          <Dialog.Content
            aria-describedby={undefined}
            onEscapeKeyDown={(event) => takesEscape(event.target) && event.preventDefault()}
            onOpenAutoFocus={(event) => {
              opener.current = document.activeElement
              if (focusFirst?.() || focusMarked(event.currentTarget)) event.preventDefault()
            }}
            onCloseAutoFocus={(event) => {
              event.preventDefault()
              restoreFocus(opener.current)
            }}
            className={`bg-paper relative ${PLACES[place]}`}
          >
            <Dialog.Title className={place === 'middle' ? 'font-serif text-lg' : 'sr-only'}>
              {title}
            </Dialog.Title>
            {children}
            <Dialog.Close asChild>
              <IconButton
                icon="close"
                label="Close"
                className={`absolute end-3 ${place === 'top' ? 'top-2 max-sm:top-1' : 'top-3'}`}
              />
            </Dialog.Close>
          </Dialog.Content>
        </div>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** Escape first closes an open element inside the panel; the library would close the panel. */
const takesEscape = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('[data-takes-escape]') !== null

/** Needed above another panel, which holds the focus until this one is mounted. */
function focusMarked(within: EventTarget | null): boolean {
  const marked = within instanceof Element && within.querySelector<HTMLElement>('[data-first]')
  if (marked) marked.focus()
  return Boolean(marked)
}

/** The library does not know which button opened it. Keeps the focus if another element has it. */
function restoreFocus(opener: Element | null): void {
  if (opener instanceof HTMLElement) focusIfLost(opener)
}

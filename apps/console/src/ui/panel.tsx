import { Dialog } from 'radix-ui'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

const PLACES = {
  middle: 'm-auto w-[min(26rem,calc(100vw-2rem))] rounded-lg border border-line p-6',
  side: 'me-auto h-dvh w-[min(19rem,85vw)] border-e border-line',
} as const

interface PanelProps {
  readonly title: string
  readonly place: keyof typeof PLACES
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  /** Where the keys go once it is open; false where there is no such place, and then they go to its beginning. */
  readonly focusFirst?: (() => boolean) | undefined
  readonly children: ReactNode
}

/** Something over the page, until it is closed. Not with the library's overlay: that writes a style into the page. */
export function Panel({ title, place, open, onOpenChange, focusFirst, children }: PanelProps) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <div className="fixed inset-0 z-20 flex overflow-auto bg-[rgb(0_0_0/0.4)]">
          <Dialog.Content
            aria-describedby={undefined}
            onEscapeKeyDown={(event) => takesEscape(event.target) && event.preventDefault()}
            onOpenAutoFocus={(event) => focusFirst?.() && event.preventDefault()}
            className={`bg-paper relative ${PLACES[place]}`}
          >
            <Dialog.Title className={place === 'side' ? 'sr-only' : 'font-serif text-lg'}>
              {title}
            </Dialog.Title>
            {children}
            <Dialog.Close asChild>
              <Button look="bare" aria-label="Close" className="absolute end-3 top-3">
                <Icon name="close" />
              </Button>
            </Dialog.Close>
          </Dialog.Content>
        </div>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** What is open within a panel is closed first: the library would close the panel before anything in it is asked. */
const takesEscape = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('[data-takes-escape]') !== null

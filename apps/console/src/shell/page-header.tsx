import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { useShell } from './shell-context.ts'

/** A page's title; on a phone also the menu and new-session buttons. */
export function PageHeader({ title, children }: { title: string; children?: ReactNode }) {
  const { openMenu, newSession } = useShell()
  return (
    <header className="border-line border-b">
      <div className="flex min-h-14 items-center gap-1 px-2 py-2 sm:px-8">
        <Button look="bare" aria-label="Menu" className="sm:hidden" onClick={openMenu}>
          <Icon name="menu" />
        </Button>
        <div className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-4">
          <h1 className="max-w-full truncate font-serif text-lg">{title}</h1>
          {children}
        </div>
        {newSession && (
          <Button look="bare" aria-label="New session" className="sm:hidden" onClick={newSession}>
            <Icon name="plus" />
          </Button>
        )}
      </div>
    </header>
  )
}

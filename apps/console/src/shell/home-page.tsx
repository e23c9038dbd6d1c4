import { PageHeader } from './page-header.tsx'
import { SessionList } from './session-list.tsx'

export function HomePage() {
  return (
    <>
      <PageHeader title="Sessions" />
      <div className="min-h-0 flex-1 px-1 pt-2 sm:hidden">
        <SessionList />
      </div>
      <div className="m-auto max-w-md px-6 pb-24 max-sm:hidden">
        <p className="font-serif text-2xl text-balance">What would you like to talk about?</p>
        <p className="text-soft mt-3 text-sm leading-6">
          Open a session from the list, or start a new one: press{' '}
          <kbd className="border-line rounded border px-1.5 font-mono text-xs">n</kbd> or use the button above
          the list.
        </p>
      </div>
    </>
  )
}

import type { ReactNode } from 'react'
import { Link, useRouter } from '@tanstack/react-router'
import { usePageRecord } from '../app/page-record.ts'
import { IconButton, Button } from '../ui/button.tsx'
import { PageBody } from '../ui/page-body.tsx'
import { useShell } from './shell-context.ts'
import { Notice } from '../ui/notice.tsx'

interface PageProps {
  readonly width?: 'text' | 'wide'
  /** Beside the title. */
  readonly beside?: ReactNode
  readonly children: ReactNode
}

/** A page of the side bar, with the title of its record. */
export function Page({ width = 'text', beside, children }: PageProps) {
  const { label = '' } = usePageRecord()
  return (
    <>
      <PageTitle />
      <PageHeader title={label}>{beside}</PageHeader>
      <PageBody width={width}>{children}</PageBody>
    </>
  )
}

/** The browser's title: the open page, the frame around it, and the product. */
export function PageTitle({ frame }: { frame?: string }) {
  const { label, isInTitle = true } = usePageRecord()
  if (label === undefined) return null
  return <title>{[isInTitle && label, frame, 'Parley'].filter(Boolean).join(' · ')}</title>
}

/** A page's title; on a phone also the menu and new-session buttons. */
export function PageHeader({ title, children }: { title: string; children?: ReactNode }) {
  const { openMenu, newSession } = useShell()
  return (
    <header className="border-line border-b">
      <div className="flex min-h-14 items-center gap-1 px-2 py-2 sm:px-8">
        <IconButton icon="menu" label="Menu" className="sm:hidden" onClick={openMenu} />
        <div className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-4">
          <h1 className="max-w-full truncate font-serif text-lg">{title}</h1>
          {children}
        </div>
        {newSession && (
          <IconButton icon="plus" label="New session" className="sm:hidden" onClick={newSession} />
        )}
      </div>
    </header>
  )
}

/** Shown when a page fails to render, usually because one of its chunks failed to load. */
export function FailedPage({ reset }: { reset: () => void }) {
  const router = useRouter()
  const retry = () => {
    reset()
    void router.invalidate()
  }
  return (
    <>
      <PageHeader title="Error" />
      <PageBody>
        <Notice
          action={
            <>
              <Button onClick={retry}>Try again</Button>
              <Button onClick={() => window.location.reload()}>Reload the page</Button>
            </>
          }
        >
          This page could not be shown. The server may be down, or it was updated.
        </Notice>
      </PageBody>
    </>
  )
}

export function NotFoundPage() {
  return (
    <>
      <title>Not found · Parley</title>
      <PageHeader title="Not found" />
      <p className="m-auto px-6 pb-24 text-sm">
        This page does not exist.{' '}
        <Link to="/sessions" className="text-accent underline">
          Go to sessions
        </Link>
      </p>
    </>
  )
}

import { Link, useRouter } from '@tanstack/react-router'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageBody } from '../ui/page-body.tsx'
import { PageHeader } from './page.tsx'

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

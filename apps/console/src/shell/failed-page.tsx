import { useRouter } from '@tanstack/react-router'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageBody } from '../ui/page-body.tsx'
import { PageHeader } from './page-header.tsx'

/** In the place of a page that could not be shown: most often a part of it could not be fetched. */
export function FailedPage({ reset }: { reset: () => void }) {
  const router = useRouter()
  const again = () => {
    reset()
    void router.invalidate()
  }
  return (
    <>
      <PageHeader title="Not shown" />
      <PageBody>
        <Notice
          action={
            <>
              <Button onClick={again}>Try again</Button>
              <Button onClick={() => window.location.reload()}>Load the page anew</Button>
            </>
          }
        >
          This page could not be shown. The server may not answer just now, or it was brought to another
          version meanwhile.
        </Notice>
      </PageBody>
    </>
  )
}

import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import type { Upload } from './create-upload-queue.ts'
import type { Uploads } from './use-uploads.ts'

export function UploadRow({ upload, uploads }: { upload: Upload; uploads: Uploads }) {
  const title = visibleText(upload.source.title)
  if (upload.state === 'sending') {
    return (
      <li className="text-soft flex flex-wrap gap-x-3 text-sm">
        <span className="animate-breathe" aria-hidden="true">
          ●
        </span>
        <span className="min-w-0 wrap-anywhere">Sending {title}…</span>
      </li>
    )
  }
  const again = () => {
    uploads.dismiss(upload)
    uploads.add(upload.source, upload.sourceId)
  }
  return (
    <li>
      <Notice
        action={
          <span className="flex flex-wrap gap-2">
            {upload.state === 'failed' && <Button onClick={again}>Try again</Button>}
            <Button look="bare" onClick={() => uploads.dismiss(upload)}>
              Leave it
            </Button>
          </span>
        }
      >
        {title}: {upload.error}
      </Notice>
    </li>
  )
}

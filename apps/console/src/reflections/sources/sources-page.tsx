import { useEffect, useEffectEvent } from 'react'
import type { Source } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageBody } from '../../ui/page-body.tsx'
import { PageList } from '../../ui/page-list.tsx'
import { usePages } from '../../ui/use-pages.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { reflectionKey } from '../reflection-keys.ts'
import { AddSource } from './add-source.tsx'
import type { Upload } from './create-upload-queue.ts'
import { SourceRow } from './source-row.tsx'
import { announcementOf, sourceStanding } from './source-standing.ts'
import type { Uploads } from './use-uploads.ts'

const LOOK_AGAIN_MS = { busy: 700, idle: 10_000 } as const

const lookAgainMs = (sources: readonly Source[]) =>
  sources.some((source) => sourceStanding(source).kind === 'busy') ? LOOK_AGAIN_MS.busy : LOOK_AGAIN_MS.idle

export function SourcesPage() {
  const { client } = useConsoleHost()
  const { reflection, rights, uploads, waiting } = useOpenReflection()
  const pages = usePages({
    key: [...reflectionKey(reflection.id), 'sources', 'list'],
    read: (page) => client.reflections.sources({ reflectionId: reflection.id, ...page }),
    lookAgainMs,
  })
  // What was just learned may wait for a person.
  const learned = pages.items?.filter(({ state }) => state === 'completed').length
  const lookAtWaiting = useEffectEvent(waiting.again)
  useEffect(() => lookAtWaiting(), [learned])

  return (
    <PageBody>
      {rights.mayTeach && <AddSource />}
      {uploads.items.length > 0 && (
        <ul aria-label="On the way" className="flex flex-col gap-3">
          {uploads.items.map((upload) => (
            <UploadRow key={upload.id} upload={upload} uploads={uploads} />
          ))}
        </ul>
      )}
      <p role="status" className="sr-only">
        {announcementOf(pages.items ?? [])}
      </p>
      <PageList
        pages={pages}
        label="Sources"
        empty={<NoneYet mayTeach={rights.mayTeach} />}
        row={(source) => <SourceRow key={source.id} source={source} now={pages.readAt} />}
      />
    </PageBody>
  )
}

const NoneYet = ({ mayTeach }: { mayTeach: boolean }) => (
  <div className="flex max-w-prose flex-col gap-3 text-sm leading-6">
    <p className="font-serif text-xl">No sources yet</p>
    {mayTeach ? (
      <p>
        Add what the person wrote or said: text, Markdown, HTML, PDF, Word, subtitles, or an export of
        WhatsApp, Telegram, Slack, ChatGPT or Claude. Drop files anywhere, choose them, or paste a text.
      </p>
    ) : (
      <p>Sources are added by operators of this reflection.</p>
    )}
  </div>
)

function UploadRow({ upload, uploads }: { upload: Upload; uploads: Uploads }) {
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

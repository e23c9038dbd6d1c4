import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useConsoleHost } from '../app/console-host.ts'
import { PageHeader } from '../shell/page-header.tsx'
import { SESSIONS } from '../shell/use-sessions.ts'
import { messageOf } from '../ui/message-of.ts'
import { Notice } from '../ui/notice.tsx'
import { MessageForm } from './composer.tsx'
import { newKey } from './new-key.ts'
import { startWithMessage } from './start-with-message.ts'
import { NothingSaid, OfflineNote } from './transcript-view.tsx'

const DRAFT = 'session.new.draft'

/** A session that does not exist yet: the first message starts it. */
export function NewSessionPage() {
  const { client, keep, me } = useConsoleHost()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const start = useMutation({
    mutationFn: (text: string) => startWithMessage(text, { client, keep, newKey }),
    onError: (_, text) => keep.write(DRAFT, text),
    onSuccess: async (sessionId) => {
      await navigate({ to: '/sessions/$sessionId', params: { sessionId }, replace: true })
      await queries.invalidateQueries({ queryKey: SESSIONS })
    },
  })
  return (
    <>
      <title>New session · Parley</title>
      <PageHeader title="New session" />
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto px-4 sm:px-8">
        <div className="mx-auto w-full max-w-[38rem] lg:max-w-[45.5rem]">
          <NothingSaid mayWrite>{me.defaultModel && <OfflineNote session={me.defaultModel} />}</NothingSaid>
          {start.error && <Notice>{messageOf(start.error)}</Notice>}
        </div>
      </div>
      <MessageForm
        // What could not be sent is in the box again.
        key={start.failureCount}
        draftName={DRAFT}
        keep={keep}
        doing={start.isPending ? 'sending' : 'nothing'}
        onSend={start.mutate}
      />
    </>
  )
}

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ApiClient } from '@parley/api-client'
import type { SessionId } from '@parley/contracts'
import { useConsoleHost } from '../app/console-host.ts'
import type { BrowserStorage } from '../app/browser-storage.ts'
import { PageHeader, PageTitle } from '../shell/page.tsx'
import { SESSIONS_KEY } from '../shell/use-sessions.ts'
import { MessageForm } from './composer.tsx'
import { saveOutbox, createRandomKey } from './outbox.ts'
import type { Outgoing } from './session-state.ts'
import { NoMessages, OfflineNote } from './transcript-view.tsx'
import { ErrorNotice } from '../ui/notice.tsx'

const DRAFT = 'session.new.draft'

/** The first message starts the session. */
export function NewSessionPage() {
  const { client, storage, me } = useConsoleHost()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const start = useMutation({
    mutationFn: (text: string) => startWithMessage(text, { client, storage, createKey: createRandomKey }),
    onError: (_, text) => storage.write(DRAFT, text),
    onSuccess: async (sessionId) => {
      await navigate({ to: '/sessions/$sessionId', params: { sessionId }, replace: true })
      await queries.invalidateQueries({ queryKey: SESSIONS_KEY })
    },
  })
  return (
    <>
      <PageTitle />
      <PageHeader title="New session" />
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto px-4 sm:px-8">
        <div className="mx-auto w-full max-w-[38rem] lg:max-w-[45.5rem]">
          <NoMessages mayWrite>{me.defaultModel && <OfflineNote session={me.defaultModel} />}</NoMessages>
          <ErrorNotice error={start.error} />
        </div>
      </div>
      <MessageForm
        // The failed message is in the box again.
        key={start.failureCount}
        draftName={DRAFT}
        storage={storage}
        activity={start.isPending ? 'sending' : 'idle'}
        onSend={start.mutate}
      />
    </>
  )
}

/** Starts a session with its first message, so no empty session is left. A message that fails waits in the outbox. */
export async function startWithMessage(
  text: string,
  { client, storage, createKey }: { client: ApiClient; storage: BrowserStorage; createKey: () => string },
): Promise<SessionId> {
  const { sessionId } = await client.sessions.start()
  const outgoing: Outgoing = { key: createKey(), text, afterTurn: 0, state: 'sending' }
  saveOutbox(storage, sessionId, [outgoing])
  await client.sessions.send({ sessionId, text, idempotencyKey: outgoing.key }).catch(() => undefined)
  return sessionId
}

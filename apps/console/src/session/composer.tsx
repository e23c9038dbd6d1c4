import { type KeyboardEvent, type ReactNode, useEffect, useState } from 'react'
import { MAX_MESSAGE_LENGTH } from '@parley/contracts'
import type { BrowserStorage } from '../app/browser-storage.ts'
import { Button } from '../ui/button.tsx'
import { MESSAGE_BOX, focusMessageBoxWithKeyboard } from '../ui/focus.ts'
import type { SessionReader } from './session-reader.ts'
import type { OpenSession } from './session-state.ts'
import { Form } from '../ui/form.tsx'

interface ComposerProps {
  readonly open: OpenSession
  readonly reader: Pick<SessionReader, 'send' | 'stop'>
  readonly storage: BrowserStorage
}

export const Composer = ({ open, reader, storage }: ComposerProps) => (
  <MessageForm
    draftName={`session.${open.session.sessionId}.draft`}
    storage={storage}
    activity={getActivity(open)}
    onSend={reader.send}
    onStop={reader.stop}
  />
)

interface MessageFormProps {
  readonly draftName: string
  readonly storage: BrowserStorage
  readonly activity: ReturnType<typeof getActivity>
  readonly onSend: (text: string) => void
  readonly onStop?: () => void
}

export function MessageForm({ draftName, storage, activity, onSend, onStop }: MessageFormProps) {
  const [text, setText] = useState(() => storage.read(draftName) ?? '')
  const write = (next: string) => {
    setText(next)
    storage.write(draftName, next === '' ? undefined : next)
  }
  const maySend = text.trim() !== '' && activity === 'idle'
  const send = () => {
    if (!maySend) return
    write('')
    onSend(text)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }

  useEffect(focusMessageBoxWithKeyboard, [])

  return (
    <Form className="border-line border-t px-4 pt-3 pb-4 sm:px-8" onSubmit={send}>
      <div className="mx-auto flex max-w-[38rem] items-end gap-3 lg:max-w-[45.5rem] lg:ps-30">
        <label htmlFor={MESSAGE_BOX} className="sr-only">
          Message
        </label>
        <textarea
          id={MESSAGE_BOX}
          rows={1}
          value={text}
          maxLength={MAX_MESSAGE_LENGTH}
          placeholder="Write a message"
          onChange={(event) => write(event.target.value)}
          onKeyDown={onKeyDown}
          className="placeholder:text-soft border-edge focus:border-accent field-sizing-content max-h-[40dvh] min-h-11 min-w-0 flex-1 resize-none rounded-md border px-3 py-2 leading-6 outline-offset-0"
        />
        {activity === 'idle' || activity === 'sending' ? (
          <Button icon="send" type="submit" variant="primary" className="min-h-11" disabled={!maySend}>
            Send
          </Button>
        ) : (
          <Button icon="stop" className="min-h-11" disabled={activity === 'stopping'} onClick={onStop}>
            Stop
          </Button>
        )}
      </div>
    </Form>
  )
}

/** Shown instead of the message box. */
export const ReadOnlyNote = ({ children }: { children: ReactNode }) => (
  <p className="border-line text-soft border-t px-4 py-4 text-center text-sm">{children}</p>
)

/** The session's activity, as far as it matters for writing. */
function getActivity({ transcript, stopping, outbox }: OpenSession) {
  if (stopping) return 'stopping'
  const { openTurn } = transcript
  if (openTurn && openTurn.state !== 'interrupted') return 'answering'
  return outbox.some(({ state }) => state !== 'failed') ? 'sending' : 'idle'
}

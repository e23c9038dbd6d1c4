import { type KeyboardEvent, useEffect, useState } from 'react'
import { MAX_MESSAGE_LENGTH } from '@parley/contracts'
import type { BrowserStorage } from '../app/browser-storage.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { MESSAGE_BOX, focusMessageBoxWithKeyboard } from './message-box.ts'
import type { SessionReader } from './session-reader.ts'
import type { OpenSession } from './session-state.ts'

interface ComposerProps {
  readonly open: OpenSession
  readonly reader: Pick<SessionReader, 'send' | 'stop'>
  readonly keep: BrowserStorage
}

/** The message box of a session. */
export const Composer = ({ open, reader, keep }: ComposerProps) => (
  <MessageForm
    draftName={`session.${open.session.sessionId}.draft`}
    keep={keep}
    doing={activityIn(open)}
    onSend={reader.send}
    onStop={reader.stop}
  />
)

interface MessageFormProps {
  /** The storage name of the draft. */
  readonly draftName: string
  readonly keep: BrowserStorage
  readonly doing: ReturnType<typeof activityIn>
  readonly onSend: (text: string) => void
  readonly onStop?: () => void
}

export function MessageForm({ draftName, keep, doing, onSend, onStop }: MessageFormProps) {
  const [text, setText] = useState(() => keep.read(draftName) ?? '')
  const write = (next: string) => {
    setText(next)
    keep.write(draftName, next === '' ? undefined : next)
  }
  const maySend = text.trim() !== '' && doing === 'nothing'
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
    <form
      className="border-line border-t px-4 pt-3 pb-4 sm:px-8"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
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
        {doing === 'nothing' || doing === 'sending' ? (
          <Button type="submit" look="main" className="min-h-11" disabled={!maySend}>
            <Icon name="send" />
            Send
          </Button>
        ) : (
          <Button className="min-h-11" disabled={doing === 'stopping'} onClick={onStop}>
            <Icon name="stop" />
            Stop
          </Button>
        )}
      </div>
    </form>
  )
}

/** The session's activity, as far as it matters for writing. */
function activityIn({ transcript, stopping, outbox }: OpenSession) {
  if (stopping) return 'stopping'
  const { openTurn } = transcript
  if (openTurn && openTurn.state !== 'interrupted') return 'answering'
  return outbox.some(({ state }) => state !== 'failed') ? 'sending' : 'nothing'
}

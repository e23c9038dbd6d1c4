import type { SessionView } from '@parley/contracts'
import { Link } from '@tanstack/react-router'
import { type KeyboardEvent, useRef, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { RemoveQuestion } from './remove-question.tsx'
import { RenameForm } from './rename-form.tsx'
import { timeInWords } from '../ui/time-in-words.ts'
import { timeAgo } from './time-ago.ts'
import { TurnMark } from './turn-mark.tsx'

/** A session in the list; what can be done with it opens below its name. */
export function SessionRow({ session, now }: { session: SessionView; now: number }) {
  const [doing, setDoing] = useState<'nothing' | 'choosing' | 'renaming' | 'removing'>('nothing')
  const more = useRef<HTMLButtonElement>(null)
  const title = session.title ?? 'Untitled session'
  const close = () => {
    setDoing('nothing')
    more.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || doing === 'nothing' || event.nativeEvent.isComposing) return
    event.preventDefault()
    event.stopPropagation()
    close()
  }
  return (
    <li onKeyDown={onKeyDown} data-takes-escape={doing === 'nothing' ? undefined : true} className="group">
      <div className="flex items-center">
        <SessionLink session={session} title={title} now={now} />
        <Button
          ref={more}
          look="bare"
          aria-label={`More for ${title}`}
          aria-expanded={doing !== 'nothing'}
          className="pointer-fine:not-group-hover:not-group-focus-within:not-aria-expanded:opacity-0 px-1.5"
          onClick={() => (doing === 'nothing' ? setDoing('choosing') : close())}
        >
          <Icon name="more" />
        </Button>
      </div>
      {doing === 'choosing' && (
        <div className="flex gap-2 px-3 pt-1 pb-3">
          <Button onClick={() => setDoing('renaming')} autoFocus>
            Rename
          </Button>
          <Button onClick={() => setDoing('removing')}>Delete</Button>
        </div>
      )}
      {doing === 'renaming' && <RenameForm session={session} onClose={close} />}
      {doing === 'removing' && <RemoveQuestion sessionId={session.sessionId} title={title} onClose={close} />}
    </li>
  )
}

interface SessionLinkProps {
  readonly session: SessionView
  readonly title: string
  readonly now: number
}

function SessionLink({ session, title, now }: SessionLinkProps) {
  const { sessionId, updatedAt, openTurn } = session
  return (
    <Link
      to="/sessions/$sessionId"
      params={{ sessionId }}
      className="text-soft hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink flex min-w-0 flex-1 items-baseline gap-2 border-s-2 border-transparent py-1.5 ps-3 text-sm max-sm:py-3"
    >
      <span className="min-w-0 flex-1 truncate">{title}</span>
      {openTurn && <TurnMark state={openTurn.state} />}
      <time dateTime={updatedAt} title={timeInWords(updatedAt)} className="shrink-0 text-xs">
        {timeAgo(updatedAt, now)}
      </time>
    </Link>
  )
}

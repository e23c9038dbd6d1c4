import { useEffect, useRef, useState } from 'react'
import { Button, IconButton } from '../../ui/button.tsx'
import { formatClock } from '../summary.tsx'
import { useTalkHost } from '../talk-host.ts'
import type { CallState } from './call-state.ts'
import type { VoiceCall } from './create-call.ts'
import { Form } from '../../ui/form.tsx'

/** The controls of a call, within reach of a thumb. */
export function CallControls({ call, state }: { call: VoiceCall; state: CallState }) {
  const { name } = useTalkHost()
  const [isTyping, setTyping] = useState(false)
  const isLive = state.phase.kind === 'live'
  const mayReconnect = state.phase.kind === 'dropped' && state.phase.next === 'asks'
  return (
    <div className="border-line border-t px-4 pt-3 pb-[max(1rem,env(safe-area-inset-bottom))] sm:px-8">
      <div className="mx-auto flex max-w-[38rem] flex-col items-center gap-3">
        <div className="flex h-8 w-full items-center justify-center gap-3 text-sm">
          {isLive && state.speaker === 'nobody' && !state.isMuted && (
            <LevelMeter label="Your volume" level={call.inputLevel} />
          )}
          {isLive && state.speaker === 'agent' && (
            <LevelMeter label={`Volume of ${name}`} level={call.outputLevel} />
          )}
          <p
            role="status"
            aria-live={isLive ? 'off' : 'polite'}
            data-phase={state.phase.kind}
            className={isLive ? '' : 'text-soft'}
          >
            {describeCallState(state)}
          </p>
          {isLive && <Elapsed since={state.since ?? 0} />}
        </div>
        {isTyping && isLive && <TypeForm onSend={call.say} />}
        <div className="flex items-center justify-center gap-3">
          {mayReconnect ? (
            <Button icon="microphone" variant="primary" className="min-h-12 px-5" onClick={call.begin}>
              Reconnect here
            </Button>
          ) : (
            <>
              <Round
                label="Mute"
                icon={state.isMuted ? 'microphone-off' : 'microphone'}
                isPressed={state.isMuted}
                isDisabled={!isLive}
                onPress={() => call.mute(!state.isMuted)}
              />
              <Round
                label="Type"
                icon="keyboard"
                isPressed={isTyping}
                isDisabled={!isLive}
                onPress={() => setTyping(!isTyping)}
              />
            </>
          )}
          <Button icon="hang-up" variant="danger" className="min-h-12 px-5" onClick={call.hangUp}>
            End
          </Button>
        </div>
      </div>
    </div>
  )
}

interface RoundProps {
  readonly label: string
  readonly icon: 'microphone' | 'microphone-off' | 'keyboard'
  readonly isPressed: boolean
  readonly isDisabled: boolean
  readonly onPress: () => void
}

const Round = ({ label, icon, isPressed, isDisabled, onPress }: RoundProps) => (
  <IconButton
    icon={icon}
    label={label}
    variant="secondary"
    aria-pressed={isPressed}
    aria-disabled={isDisabled}
    className="aria-pressed:border-accent aria-pressed:text-accent size-12 rounded-full! px-0 text-base"
    onClick={() => isDisabled || onPress()}
  />
)

function Elapsed({ since }: { since: number }) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <span role="timer" aria-label="Call duration" className="text-soft tabular-nums">
      {formatClock(now - since)}
    </span>
  )
}

export function describeCallState({ phase, speaker, isMuted }: CallState): string {
  switch (phase.kind) {
    case 'asking-microphone':
      return 'Allow the microphone in your browser…'
    case 'starting':
      return 'Starting…'
    case 'connecting':
      return 'Connecting…'
    case 'live':
      if (speaker === 'agent') return 'Speaking'
      return isMuted ? 'Muted' : 'Listening'
    case 'dropped':
      return phase.next === 'reconnects'
        ? 'Connection lost. Reconnecting…'
        : 'Disconnected. The conversation is still open.'
    case 'over':
      return 'Call ended'
    case 'failed':
      return ''
    default:
      return phase satisfies never
  }
}

const BARS = [0.35, 0.7, 1, 0.7, 0.35]

/** A volume meter that updates without rendering the page. */
function LevelMeter({ label, level }: { label: string; level: () => number }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let frame = requestAnimationFrame(function draw() {
      const volume = level()
      const bars = box.current?.children ?? []
      for (const [index, bar] of Array.from(bars).entries()) {
        const height = Math.max(0.12, Math.min(1, volume * 2.2) * (BARS[index] ?? 1))
        if (bar instanceof HTMLElement) bar.style.transform = `scaleY(${height})`
      }
      frame = requestAnimationFrame(draw)
    })
    return () => cancelAnimationFrame(frame)
  }, [level])
  return (
    <div role="img" aria-label={label} ref={box} className="flex h-7 items-center gap-1">
      {BARS.map((_, index) => (
        <span key={index} className="bg-accent h-full w-1 origin-center scale-y-[0.12] rounded-full" />
      ))}
    </div>
  )
}

function TypeForm({ onSend }: { onSend: (text: string) => void }) {
  const [text, setText] = useState('')
  return (
    <Form
      className="flex w-full items-center gap-2"
      isDisabled={text.trim() === ''}
      onSubmit={() => {
        onSend(text.trim())
        setText('')
      }}
    >
      <input
        aria-label="Message"
        autoFocus
        autoComplete="off"
        enterKeyHint="send"
        maxLength={2_000}
        value={text}
        placeholder="Write a message"
        onChange={(event) => setText(event.target.value)}
        className="placeholder:text-soft border-edge focus:border-accent bg-paper min-h-11 min-w-0 flex-1 rounded-md border px-3 outline-offset-0"
      />
      <Button icon="send" type="submit" variant="primary" className="min-h-11" disabled={text.trim() === ''}>
        Send
      </Button>
    </Form>
  )
}

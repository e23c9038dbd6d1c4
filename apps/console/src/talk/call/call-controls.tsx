import { useEffect, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { clockOf } from '../summary.ts'
import { useTalkHost } from '../talk-host.ts'
import type { CallState } from './call-state.ts'
import type { Call } from './create-call.ts'
import { LevelMeter } from './level-meter.tsx'
import { SayForm } from './say-form.tsx'
import { standingInWords } from './standing-in-words.ts'

/** What can be done in a call, within reach of a thumb. */
export function CallControls({ call, state }: { call: Call; state: CallState }) {
  const { name } = useTalkHost()
  const [isTyping, setTyping] = useState(false)
  const isLive = state.phase.kind === 'live'
  const mayReconnect = state.phase.kind === 'dropped' && state.phase.next === 'asks'
  return (
    <div className="border-line border-t px-4 pt-3 pb-[max(1rem,env(safe-area-inset-bottom))] sm:px-8">
      <div className="mx-auto flex max-w-[38rem] flex-col items-center gap-3">
        <div className="flex h-8 w-full items-center justify-center gap-3 text-sm">
          {isLive && state.speaks === 'nobody' && !state.isMuted && (
            <LevelMeter label="How loud you are" level={call.inputLevel} />
          )}
          {isLive && state.speaks === 'agent' && (
            <LevelMeter label={`How loud ${name} is`} level={call.outputLevel} />
          )}
          <p
            role="status"
            aria-live={isLive ? 'off' : 'polite'}
            data-phase={state.phase.kind}
            className={isLive ? '' : 'text-soft'}
          >
            {standingInWords(state, name)}
          </p>
          {isLive && <Elapsed since={state.since ?? 0} />}
        </div>
        {isTyping && isLive && <SayForm onSay={call.say} />}
        <div className="flex items-center justify-center gap-3">
          {mayReconnect ? (
            <Button look="main" className="min-h-12 px-5" onClick={call.begin}>
              <Icon name="microphone" />
              Reconnect here
            </Button>
          ) : (
            <>
              <Round
                label="Mute"
                icon={state.isMuted ? 'microphone-off' : 'microphone'}
                isPressed={state.isMuted}
                isHeld={!isLive}
                onPress={() => call.mute(!state.isMuted)}
              />
              <Round
                label="Type"
                icon="keyboard"
                isPressed={isTyping}
                isHeld={!isLive}
                onPress={() => setTyping(!isTyping)}
              />
            </>
          )}
          <Button look="alarm" className="min-h-12 px-5" onClick={call.hangUp}>
            <Icon name="hang-up" />
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
  readonly isHeld: boolean
  readonly onPress: () => void
}

const Round = ({ label, icon, isPressed, isHeld, onPress }: RoundProps) => (
  <Button
    aria-label={label}
    title={label}
    aria-pressed={isPressed}
    aria-disabled={isHeld}
    className="aria-pressed:border-accent aria-pressed:text-accent size-12 rounded-full! px-0 text-base"
    onClick={() => isHeld || onPress()}
  >
    <Icon name={icon} />
  </Button>
)

function Elapsed({ since }: { since: number }) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <span role="timer" aria-label="How long" className="text-soft tabular-nums">
      {clockOf(now - since)}
    </span>
  )
}

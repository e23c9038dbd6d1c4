import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { useMayBegin, useTalkHost } from './talk-host.ts'
import type { Trouble } from './trouble.ts'
import { troubleInWords, type WayOn } from './trouble-in-words.ts'

const WAIT_MS = 4_000

interface TroubleViewProps {
  readonly trouble: Trouble
  /** What is done about it, where this place can do it. */
  readonly ways: { readonly [Way in Extract<WayOn, 'type' | 'again' | 'new'>]?: (() => unknown) | undefined }
  /** How it is tried again by itself, where that is otherwise than when a person asks for it. */
  readonly byItself?: () => unknown
}

const LABELS: Record<Extract<WayOn, 'type' | 'again' | 'new'>, string> = {
  again: 'Try again',
  type: 'Type instead',
  new: 'Start a new conversation',
}

/** What is in the way of a talk, why, and the ways on. */
export function TroubleView({ trouble, ways, byItself = ways.again }: TroubleViewProps) {
  const { who, member } = useTalkHost()
  const mayBegin = useMayBegin()
  const words = troubleInWords(trouble, member?.mayChooseVoice ? 'owner' : who)
  const waits = words.waits === true && byItself !== undefined
  const { isAsked, tryOnce } = useOneAtATime()
  const tryByItself = useEffectEvent(() => void tryOnce(byItself, 'by-itself'))

  // This stands until something else comes of it, so that whoever reads it, or has the keys on it, is left in peace.
  useEffect(() => {
    if (!waits) return undefined
    const timer = setTimeout(() => tryByItself(), WAIT_MS)
    return () => clearTimeout(timer)
  }, [waits, trouble])

  return (
    <section
      role="alert"
      data-trouble={trouble.kind}
      className="m-auto flex max-w-md flex-col items-center gap-3 px-6 py-8 text-center"
    >
      <h2 className={`font-serif text-xl text-balance ${waits ? 'animate-breathe' : ''}`}>{words.title}</h2>
      <p className="text-soft text-sm leading-6 text-pretty">{words.text}</p>
      {words.details && words.details.length > 0 && (
        <ul className="text-soft text-sm">
          {words.details.map((detail) => (
            <li key={detail}>{detail}</li>
          ))}
        </ul>
      )}
      <div className="mt-2 flex flex-wrap justify-center gap-2">
        {words.ways.map((way, index) => {
          if (way === 'voice-settings' || way === 'runtime')
            return member && <member.WayLink key={way} way={way} />
          if (way === 'new' && !mayBegin) return null
          const does = ways[way]
          return (
            does && (
              <Button
                key={way}
                look={index === 0 ? 'main' : 'plain'}
                aria-disabled={way === 'again' && isAsked}
                onClick={() => void (way === 'again' ? tryOnce(does, 'asked') : does())}
              >
                {LABELS[way]}
              </Button>
            )
          )
        })}
      </div>
    </section>
  )
}

/** What is being tried is not tried a second time meanwhile; that it is, is shown to who asked for it. */
function useOneAtATime() {
  const isTrying = useRef(false)
  const [isAsked, setAsked] = useState(false)
  const tryOnce = async (does: (() => unknown) | undefined, why: 'asked' | 'by-itself') => {
    if (why === 'asked') setAsked(true)
    if (isTrying.current) return
    isTrying.current = true
    try {
      await does?.()
    } finally {
      isTrying.current = false
      setAsked(false)
    }
  }
  return { isAsked, tryOnce }
}

import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { useMayBegin, useTalkHost } from './talk-host.ts'
import type { TalkProblem } from './problem.ts'

const WAIT_MS = 4_000

interface ProblemViewProps {
  readonly problem: TalkProblem
  /** Handlers for the actions that this page supports. */
  readonly ways: {
    readonly [Way in Extract<ProblemAction, 'type' | 'again' | 'new'>]?: (() => unknown) | undefined
  }
  /** The automatic retry, if it differs from the manual one. */
  readonly byItself?: () => unknown
}

const LABELS: Record<Extract<ProblemAction, 'type' | 'again' | 'new'>, string> = {
  again: 'Try again',
  type: 'Type instead',
  new: 'Start a new conversation',
}

/** A problem that blocks a conversation, with its possible actions. */
export function ProblemView({ problem, ways, byItself = ways.again }: ProblemViewProps) {
  const { who, member } = useTalkHost()
  const mayBegin = useMayBegin()
  const words = describeProblem(problem, member?.mayChooseVoice ? 'owner' : who)
  const waits = words.waits === true && byItself !== undefined
  const { isAsked, tryOnce } = useSingleAttempt()
  const tryByItself = useEffectEvent(() => void tryOnce(byItself, 'by-itself'))

  // The message stays during retries, so it can be read and keeps the focus.
  useEffect(() => {
    if (!waits) return undefined
    const timer = setTimeout(() => tryByItself(), WAIT_MS)
    return () => clearTimeout(timer)
  }, [waits, problem])

  return (
    <section
      role="alert"
      data-problem={problem.kind}
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

/** Runs one attempt at a time; a manual attempt shows that it is running. */
function useSingleAttempt() {
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

/** Possible actions. */
export type ProblemAction = 'type' | 'again' | 'new' | 'voice-settings' | 'runtime'

interface ProblemText {
  readonly title: string
  readonly text: string
  /** Missing or outdated items, for people who can fix them. */
  readonly details?: readonly string[]
  readonly ways: readonly ProblemAction[]
  /** Retries automatically. */
  readonly waits?: true
}

type Listener = 'owner' | 'member' | 'visitor'

const MICROPHONE = {
  'microphone-denied': {
    title: 'The microphone is blocked',
    text: 'Allow the microphone for this site (usually the icon left of the address), then try again. Or type.',
  },
  'microphone-missing': {
    title: 'No microphone found',
    text: 'Connect one and try again, or type.',
  },
  'microphone-busy': {
    title: 'The microphone is unavailable',
    text: 'Another program may be using it. Close that program and try again, or type.',
  },
  'microphone-unreachable': {
    title: 'The microphone needs HTTPS',
    text: 'Browsers allow the microphone only over HTTPS or on localhost. Open Parley by such an address, or type.',
  },
} as const

/** The message for a problem, and its possible actions. */
export function describeProblem(problem: TalkProblem, to: Listener): ProblemText {
  switch (problem.kind) {
    case 'microphone-denied':
    case 'microphone-missing':
    case 'microphone-busy':
    case 'microphone-unreachable':
      return { ...MICROPHONE[problem.kind], ways: ['again', 'type'] }
    case 'public-stale':
    case 'public-not-ready':
      return to === 'visitor' ? GETTING_READY : describePublicProblem(problem)
    case 'not-ready':
      return {
        title: 'Not ready for voice yet',
        text: 'Its voice agent is being built in the background. Retrying automatically.',
        details: problem.missing,
        ways: ['again'],
        waits: true,
      }
    case 'voice-missing':
      return { title: 'No voice yet', ...describeMissingVoice(problem.missing, to) }
    case 'link-invalid':
      return {
        title: 'This link does not work',
        text: 'This link expired or is incomplete. Ask the person who sent it for a new one.',
        ways: [],
      }
    case 'nothing-public':
      return {
        title: 'Nothing is public right now',
        text: 'The link works, but nothing is published at the moment. This page starts automatically once something is.',
        ways: ['again'],
        waits: true,
      }
    case 'gone':
      return {
        title: 'This conversation is no longer available',
        text: 'It ended, or its link was revoked.',
        ways: ['new'],
      }
    case 'ended':
      return { title: 'This conversation has ended', text: problem.message, ways: ['new'] }
    case 'rate-limited':
      return {
        title: problem.seconds > 1 ? `Try again ${formatWait(problem.seconds)}` : 'Too many requests',
        text: problem.message,
        ways: ['again', 'new'],
      }
    case 'provider-unavailable':
      return {
        title: 'Voice is unavailable',
        text: 'The voice provider is not responding. Try again in a minute, or type.',
        ways: ['again', 'type'],
      }
    case 'unreachable':
      return {
        title: 'The server is not responding',
        text: 'Check your connection and that the server is running. Retrying automatically.',
        ways: ['again', 'new'],
        waits: true,
      }
    case 'other':
      return { title: 'Something went wrong', text: problem.message, ways: ['again', 'type'] }
    default:
      return problem satisfies never
  }
}

const GETTING_READY: ProblemText = {
  title: 'One moment',
  text: 'Getting ready. This takes a few seconds and starts automatically.',
  ways: [],
  waits: true,
}

/** Only the owner can choose a voice. */
function describeMissingVoice(details: readonly string[], to: Listener): Omit<ProblemText, 'title'> {
  const text = 'Voice calls need a voice it is allowed to use'
  switch (to) {
    case 'owner':
      return { text: `${text}. You can type until then.`, details, ways: ['type', 'voice-settings'] }
    case 'member':
      return {
        text: `${text}; its owner can choose one. You can type until then.`,
        details,
        ways: ['type'],
      }
    case 'visitor':
      return { text: 'You can type instead.', ways: ['type'] }
    default:
      return to satisfies never
  }
}

function describePublicProblem(
  problem: Extract<TalkProblem, { kind: 'public-stale' | 'public-not-ready' }>,
): ProblemText {
  return problem.kind === 'public-stale'
    ? {
        title: 'Updating the public version',
        text: 'The public voice agent does not match the published folders yet. Retrying automatically.',
        details: problem.differs,
        ways: ['again', 'runtime'],
        waits: true,
      }
    : {
        title: 'Not ready for the public yet',
        text: 'Publish a folder and wait until its voice agent is built.',
        details: problem.missing,
        ways: ['again', 'runtime'],
      }
}

function formatWait(seconds: number): string {
  if (seconds < 60) return `in ${seconds} seconds`
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 60) return `in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`
  const hours = Math.ceil(minutes / 60)
  return `in ${hours} ${hours === 1 ? 'hour' : 'hours'}`
}

import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { pluralize } from '../ui/format.ts'
import { useMayBegin, useTalkHost } from './talk-host.ts'
import type { TalkProblem } from './problem.ts'

const WAIT_MS = 4_000

interface ProblemViewProps {
  readonly problem: TalkProblem
  /** Handlers for the actions that this page supports. */
  readonly actions: { readonly [Name in PageAction]?: (() => unknown) | undefined }
  /** The automatic retry, if it differs from the manual one. */
  readonly autoRetry?: () => unknown
}

/** Actions that the page carries out; the others are links. */
type PageAction = Exclude<ProblemAction, LinkedPage>

const LABELS: Record<PageAction, string> = {
  retry: 'Try again',
  type: 'Type instead',
  new: 'Start a new conversation',
}

/** A problem that blocks a conversation, with its possible actions. */
export function ProblemView({ problem, actions, autoRetry = actions.retry }: ProblemViewProps) {
  const { who, member } = useTalkHost()
  const mayBegin = useMayBegin()
  const text = describeProblem(problem, member?.mayChooseVoice ? 'owner' : who)
  const isRetried = text.isRetried === true && autoRetry !== undefined
  const { isTrying, tryOnce } = useSingleAttempt()
  const retryNow = useEffectEvent(() => void tryOnce(autoRetry, 'automatic'))

  // The message stays during retries, so it can be read and keeps the focus.
  useEffect(() => {
    if (!isRetried) return undefined
    const timer = setTimeout(() => retryNow(), WAIT_MS)
    return () => clearTimeout(timer)
  }, [isRetried, problem])

  return (
    <section
      role="alert"
      data-problem={problem.kind}
      className="m-auto flex max-w-md flex-col items-center gap-3 px-6 py-8 text-center"
    >
      <h2 className={`font-serif text-xl text-balance ${isRetried ? 'animate-breathe' : ''}`}>
        {text.title}
      </h2>
      <p className="text-soft text-sm leading-6 text-pretty">{text.text}</p>
      {text.details && text.details.length > 0 && (
        <ul className="text-soft text-sm">
          {text.details.map((detail) => (
            <li key={detail}>{detail}</li>
          ))}
        </ul>
      )}
      <div className="mt-2 flex flex-wrap justify-center gap-2">
        {text.actions.map((action, index) => {
          if (action === 'voice-settings' || action === 'runtime')
            return member && <member.PageLink key={action} page={action} />
          if (action === 'new' && !mayBegin) return null
          const run = actions[action]
          return (
            run && (
              <Button
                key={action}
                variant={index === 0 ? 'primary' : 'secondary'}
                aria-disabled={action === 'retry' && isTrying}
                onClick={() => void (action === 'retry' ? tryOnce(run, 'manual') : run())}
              >
                {LABELS[action]}
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
  const isRunning = useRef(false)
  const [isTrying, setTrying] = useState(false)
  const tryOnce = async (run: (() => unknown) | undefined, kind: 'manual' | 'automatic') => {
    if (kind === 'manual') setTrying(true)
    if (isRunning.current) return
    isRunning.current = true
    try {
      await run?.()
    } finally {
      isRunning.current = false
      setTrying(false)
    }
  }
  return { isTrying, tryOnce }
}

export type ProblemAction = 'type' | 'retry' | 'new' | LinkedPage

type LinkedPage = 'voice-settings' | 'runtime'

interface ProblemText {
  readonly title: string
  readonly text: string
  /** Missing or outdated items, for people who can fix them. */
  readonly details?: readonly string[]
  readonly actions: readonly ProblemAction[]
  /** True if the page retries automatically. */
  readonly isRetried?: true
}

type ProblemReader = 'owner' | 'member' | 'visitor'

type FixedProblem = Extract<
  TalkProblem['kind'],
  `microphone-${string}` | 'link-invalid' | 'nothing-public' | 'gone' | 'provider-unavailable' | 'unreachable'
>

/** The messages that are the same for everybody. */
const FIXED_TEXTS: Readonly<Record<FixedProblem, ProblemText>> = {
  'microphone-denied': {
    title: 'The microphone is blocked',
    text: 'Allow the microphone for this site (usually the icon left of the address), then try again. Or type.',
    actions: ['retry', 'type'],
  },
  'microphone-missing': {
    title: 'No microphone found',
    text: 'Connect one and try again, or type.',
    actions: ['retry', 'type'],
  },
  'microphone-busy': {
    title: 'The microphone is unavailable',
    text: 'Another program may be using it. Close that program and try again, or type.',
    actions: ['retry', 'type'],
  },
  'microphone-unreachable': {
    title: 'The microphone needs HTTPS',
    text: 'Browsers allow the microphone only over HTTPS or on localhost. Open Parley by such an address, or type.',
    actions: ['retry', 'type'],
  },
  'link-invalid': {
    title: 'This link does not work',
    text: 'This link expired or is incomplete. Ask the person who sent it for a new one.',
    actions: [],
  },
  'nothing-public': {
    title: 'Nothing is public right now',
    text: 'The link works, but nothing is published at the moment. This page starts automatically once something is.',
    actions: ['retry'],
    isRetried: true,
  },
  gone: {
    title: 'This conversation is no longer available',
    text: 'It ended, or its link was revoked.',
    actions: ['new'],
  },
  'provider-unavailable': {
    title: 'Voice is unavailable',
    text: 'The voice provider is not responding. Try again in a minute, or type.',
    actions: ['retry', 'type'],
  },
  unreachable: {
    title: 'The server is not responding',
    text: 'Check your connection and that the server is running. Retrying automatically.',
    actions: ['retry', 'new'],
    isRetried: true,
  },
}

export function describeProblem(problem: TalkProblem, to: ProblemReader): ProblemText {
  switch (problem.kind) {
    case 'public-stale':
    case 'public-not-ready':
      return to === 'visitor' ? GETTING_READY : describePublicProblem(problem)
    case 'not-ready':
      return {
        title: 'Not ready for voice yet',
        text: 'Its voice agent is being built in the background. Retrying automatically.',
        details: problem.missing,
        actions: ['retry'],
        isRetried: true,
      }
    case 'voice-missing':
      return { title: 'No voice yet', ...describeMissingVoice(problem.missing, to) }
    case 'ended':
      return { title: 'This conversation has ended', text: problem.message, actions: ['new'] }
    case 'rate-limited':
      return {
        title: problem.seconds > 1 ? `Try again ${formatWait(problem.seconds)}` : 'Too many requests',
        text: problem.message,
        actions: ['retry', 'new'],
      }
    case 'other':
      return { title: 'Something went wrong', text: problem.message, actions: ['retry', 'type'] }
    case 'microphone-denied':
    case 'microphone-missing':
    case 'microphone-busy':
    case 'microphone-unreachable':
    case 'link-invalid':
    case 'nothing-public':
    case 'gone':
    case 'provider-unavailable':
    case 'unreachable':
      return FIXED_TEXTS[problem.kind]
    default:
      return problem satisfies never
  }
}

const GETTING_READY: ProblemText = {
  title: 'One moment',
  text: 'Getting ready. This takes a few seconds and starts automatically.',
  actions: [],
  isRetried: true,
}

/** Only the owner can choose a voice. */
function describeMissingVoice(details: readonly string[], to: ProblemReader): Omit<ProblemText, 'title'> {
  const text = 'Voice calls need a voice it is allowed to use'
  switch (to) {
    case 'owner':
      return { text: `${text}. You can type until then.`, details, actions: ['type', 'voice-settings'] }
    case 'member':
      return {
        text: `${text}; its owner can choose one. You can type until then.`,
        details,
        actions: ['type'],
      }
    case 'visitor':
      return { text: 'You can type instead.', actions: ['type'] }
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
        actions: ['retry', 'runtime'],
        isRetried: true,
      }
    : {
        title: 'Not ready for the public yet',
        text: 'Publish a folder and wait until its voice agent is built.',
        details: problem.missing,
        actions: ['retry', 'runtime'],
      }
}

function formatWait(seconds: number): string {
  if (seconds < 60) return `in ${seconds} seconds`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 60
    ? `in ${pluralize(minutes, 'minute')}`
    : `in ${pluralize(Math.ceil(minutes / 60), 'hour')}`
}

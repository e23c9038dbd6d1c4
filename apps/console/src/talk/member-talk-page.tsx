import { Link, useBlocker, useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { type ReflectionId, type SessionId, findVoiceProblems } from '@parley/contracts'
import { useConsoleHost } from '../app/console-host.ts'
import { useOpenReflection } from '../reflections/open-reflection.ts'
import { SourceLink } from '../reflections/source-link.tsx'
import { useShell } from '../shell/shell-context.ts'
import { visibleText } from '../ui/visible-text.ts'
import { CitedSourceContext, type CitedSourceProps } from './citations/citations-view.tsx'
import { LeavePanel } from './start-view.tsx'
import {
  type LeaveQuestionProps,
  type MemberOfTalk,
  type TalkHost,
  TalkHostContext,
  type TalkOptions,
} from './talk-host.ts'
import { TalkView } from './talk-view.tsx'

/** A member talks with a reflection. */
export function TalkPage({ sessionId }: { sessionId: SessionId | undefined }) {
  const { client, keep } = useConsoleHost()
  const { reflection, rights } = useOpenReflection()
  const { id: reflectionId, displayName: name, voice } = reflection
  const navigate = useNavigate()
  const openSession = useCallback(
    (session: SessionId | undefined) =>
      void navigate({
        to: '/reflections/$reflectionId/talk',
        params: { reflectionId },
        search: session ? { session } : {},
      }),
    [navigate, reflectionId],
  )
  const member = useMemo(
    (): MemberOfTalk => ({
      reflectionId,
      voiceProblems: findVoiceProblems(voice),
      mayChooseVoice: rights.role === 'owner',
      mayBeInterviewed: rights.mayTeach,
      asksNext: async () => (await client.reflections.exploreNext(reflectionId)).items,
      SessionLink,
      WayLink: ({ way }) => <WayLink way={way} reflectionId={reflectionId} />,
    }),
    [client, reflectionId, voice, rights],
  )
  const host = useMemo((): TalkHost => {
    const opening = ({ isOffRecord, isInterview }: TalkOptions) => ({
      reflectionId,
      ...(isOffRecord && { offRecord: true }),
      ...(isInterview && { agentType: 'interviewer' as const }),
    })
    return {
      who: 'member',
      name,
      client,
      keep,
      start: (options) => client.sessions.start(opening(options)),
      speak: (options) => client.sessions.speak(opening(options)),
      hasVoice: member.voiceProblems.length === 0,
      mayBegin: true,
      sessionId,
      openSession,
      LeaveQuestion,
      member,
    }
  }, [client, keep, reflectionId, name, sessionId, openSession, member])
  const Cited = useMemo(
    () =>
      function CitedSource({ source, words }: CitedSourceProps) {
        if (!source.id) return <>{visibleText(source.title)}</>
        return (
          <SourceLink reflectionId={reflectionId} sourceId={source.id} words={words} isBeside>
            {visibleText(source.title)}
          </SourceLink>
        )
      },
    [reflectionId],
  )
  return (
    <TalkHostContext value={host}>
      <CitedSourceContext value={Cited}>
        <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
          <TalkView />
        </div>
      </CitedSourceContext>
    </TalkHostContext>
  )
}

const LOOK =
  'border-line hover:border-soft inline-flex min-h-9 items-center rounded-md border px-3.5 text-sm max-sm:min-h-11'

const SessionLink: MemberOfTalk['SessionLink'] = ({ sessionId }) => (
  <Link to="/sessions/$sessionId" params={{ sessionId }} className={LOOK}>
    Open session
  </Link>
)

const WAYS = {
  'voice-settings': { label: 'Choose a voice', to: '/reflections/$reflectionId/voice' },
  runtime: { label: 'Show runtime', to: '/reflections/$reflectionId/runtime' },
} as const

function WayLink({ way, reflectionId }: { way: keyof typeof WAYS; reflectionId: ReflectionId }) {
  const { label, to } = WAYS[way]
  return (
    <Link to={to} params={{ reflectionId }} className={LOOK}>
      {label}
    </Link>
  )
}

/** Asks before leaving the page or signing out ends a running call. */
function LeaveQuestion({ isOn, isItsOwn }: LeaveQuestionProps) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => {
      const [from, to] = [current, next].map(({ search }) =>
        'session' in search ? search.session : undefined,
      )
      const isStaying = next.pathname === current.pathname && (from === to || isItsOwn(to))
      return isOn && !isStaying
    },
    enableBeforeUnload: false,
    withResolver: true,
  })
  const { askBeforeSignOut } = useShell()
  const [signOut, setSignOut] = useState<() => void>()
  useEffect(
    () => (isOn ? askBeforeSignOut((go) => setSignOut(() => go)) : undefined),
    [isOn, askBeforeSignOut],
  )
  // A call that ended by itself shows its summary.
  useEffect(() => {
    if (isOn) return
    reset?.()
    setSignOut(undefined)
  }, [isOn, reset])
  const stay = () => {
    reset?.()
    setSignOut(undefined)
  }
  const leave = () => {
    proceed?.()
    signOut?.()
    setSignOut(undefined)
  }
  return (
    <LeavePanel isAsked={status === 'blocked' || signOut !== undefined} onStay={stay} onLeave={leave}>
      {signOut ? 'Signing out' : 'Leaving this page'} ends the call.
    </LeavePanel>
  )
}

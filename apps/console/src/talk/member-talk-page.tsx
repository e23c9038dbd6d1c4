import { Link, useBlocker, useNavigate, getRouteApi } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { type ReflectionId, type SessionId, findVoiceProblems } from '@parley/contracts'
import { useConsoleHost } from '../app/console-host.ts'
import { useOpenReflection } from '../reflections/open-reflection.ts'
import { SourceLink } from '../reflections/source-link.tsx'
import { useShell } from '../shell/shell-context.ts'
import { LINK_BUTTON } from '../ui/button.tsx'
import { escapeInvisible } from '../ui/escape-invisible.ts'
import { CitedSourceContext, type CitedSourceProps } from './citations/citations-view.tsx'
import { LeavePanel } from './start-view.tsx'
import {
  type LeaveGuardProps,
  type MemberHost,
  type TalkHost,
  TalkHostContext,
  type TalkOptions,
} from './talk-host.ts'
import { TalkView } from './talk-view.tsx'

const route = getRouteApi('/reflections/$reflectionId/talk')

/** A member talks with a reflection. The address holds the open session, so a reload finds it. */
export function MemberTalkPage() {
  const { session: sessionId } = route.useSearch()
  const { client, storage } = useConsoleHost()
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
    (): MemberHost => ({
      reflectionId,
      voiceProblems: findVoiceProblems(voice),
      mayChooseVoice: rights.role === 'owner',
      mayBeInterviewed: rights.mayTeach,
      loadNextTopics: async () => (await client.reflections.exploreNext(reflectionId)).items,
      SessionLink,
      PageLink: ({ page }) => <PageLink page={page} reflectionId={reflectionId} />,
    }),
    [client, reflectionId, voice, rights],
  )
  const host = useMemo((): TalkHost => {
    const toRequest = ({ isOffRecord, isInterview }: TalkOptions) => ({
      reflectionId,
      ...(isOffRecord && { offRecord: true }),
      ...(isInterview && { agentType: 'interviewer' as const }),
    })
    return {
      who: 'member',
      name,
      client,
      storage,
      startText: (options) => client.sessions.start(toRequest(options)),
      startVoiceConversation: (options) => client.sessions.speak(toRequest(options)),
      hasVoice: member.voiceProblems.length === 0,
      mayBegin: true,
      sessionId,
      openSession,
      LeaveGuard,
      member,
    }
  }, [client, storage, reflectionId, name, sessionId, openSession, member])
  const Cited = useMemo(
    () =>
      function CitedSource({ source, words }: CitedSourceProps) {
        if (!source.id) return <>{escapeInvisible(source.title)}</>
        return (
          <SourceLink reflectionId={reflectionId} sourceId={source.id} words={words} isBeside>
            {escapeInvisible(source.title)}
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

const SessionLink: MemberHost['SessionLink'] = ({ sessionId }) => (
  <Link to="/sessions/$sessionId" params={{ sessionId }} className={LINK_BUTTON.secondary}>
    Open session
  </Link>
)

const PAGES = {
  'voice-settings': { label: 'Choose a voice', to: '/reflections/$reflectionId/voice' },
  runtime: { label: 'Show runtime', to: '/reflections/$reflectionId/runtime' },
} as const

function PageLink({ page, reflectionId }: { page: keyof typeof PAGES; reflectionId: ReflectionId }) {
  const { label, to } = PAGES[page]
  return (
    <Link to={to} params={{ reflectionId }} className={LINK_BUTTON.secondary}>
      {label}
    </Link>
  )
}

/** Asks before leaving the page or signing out ends a running call. */
function LeaveGuard({ isCallActive, isOfCall }: LeaveGuardProps) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => {
      const [from, to] = [current, next].map(({ search }) =>
        'session' in search ? search.session : undefined,
      )
      const isStaying = next.pathname === current.pathname && (from === to || isOfCall(to))
      return isCallActive && !isStaying
    },
    enableBeforeUnload: false,
    withResolver: true,
  })
  const { askBeforeSignOut } = useShell()
  const [signOut, setSignOut] = useState<() => void>()
  useEffect(
    () => (isCallActive ? askBeforeSignOut((go) => setSignOut(() => go)) : undefined),
    [isCallActive, askBeforeSignOut],
  )
  // A call that ended by itself shows its summary.
  useEffect(() => {
    if (isCallActive) return
    reset?.()
    setSignOut(undefined)
  }, [isCallActive, reset])
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
    <LeavePanel isOpen={status === 'blocked' || signOut !== undefined} onStay={stay} onLeave={leave}>
      {signOut ? 'Signing out' : 'Leaving this page'} ends the call.
    </LeavePanel>
  )
}

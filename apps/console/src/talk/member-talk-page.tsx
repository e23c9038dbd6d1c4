import { missingOfVoice, type ReflectionId, type SessionId } from '@parley/contracts'
import { Link, useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { useConsoleHost } from '../app/console-host.ts'
import { useOpenReflection } from '../reflections/open-reflection.ts'
import { SourceLink } from '../reflections/source-link.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { type CitedSourceProps, CitedSourceContext } from './citations/source-view.tsx'
import { LeaveQuestion } from './leave-question.tsx'
import { type MemberOfTalk, type TalkHost, TalkHostContext, type Wish } from './talk-host.ts'
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
      missingOfVoice: missingOfVoice(voice),
      mayChooseVoice: rights.role === 'owner',
      mayBeInterviewed: rights.mayTeach,
      asksNext: async () => (await client.reflections.exploreNext(reflectionId)).items,
      SessionLink,
      WayLink: ({ way }) => <WayLink way={way} reflectionId={reflectionId} />,
    }),
    [client, reflectionId, voice, rights],
  )
  const host = useMemo((): TalkHost => {
    const opening = ({ isOffRecord, isInterview }: Wish) => ({
      reflectionId,
      ...(isOffRecord && { offRecord: true }),
      ...(isInterview && { agentType: 'interviewer' as const }),
    })
    return {
      who: 'member',
      name,
      client,
      keep,
      start: (wish) => client.sessions.start(opening(wish)),
      speak: (wish) => client.sessions.speak(opening(wish)),
      hasVoice: member.missingOfVoice.length === 0,
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
    Open the session
  </Link>
)

const WAYS = {
  'voice-settings': { label: 'Choose a voice', to: '/reflections/$reflectionId/voice' },
  runtime: { label: 'See what serves', to: '/reflections/$reflectionId/runtime' },
} as const

function WayLink({ way, reflectionId }: { way: keyof typeof WAYS; reflectionId: ReflectionId }) {
  const { label, to } = WAYS[way]
  return (
    <Link to={to} params={{ reflectionId }} className={LOOK}>
      {label}
    </Link>
  )
}

import { Link } from '@tanstack/react-router'
import { type Reflection, type ReflectionSummary, findVoiceProblems } from '@parley/contracts'
import { useConsoleHost } from '../app/console-host.ts'
import { useApprovals, useMayDecide } from '../approvals/use-approvals.ts'
import { isUnreachable, findHealthProblems, useHealth } from '../health/health-problems.ts'
import { countFacts } from '../reflections/overview/status-items.ts'
import { useReflectionSummary, useReflections } from '../reflections/use-reflections.ts'
import { describePublicFolders } from '../reflections/format.ts'
import { isAdmin } from '../app/roles.ts'
import { useShell } from '../shell/shell-context.ts'
import { TurnMark } from '../shell/session-forms.tsx'
import { useSessions } from '../shell/use-sessions.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { ErrorNotice } from '../ui/notice.tsx'
import { Intro, Section, Rows } from '../ui/page-body.tsx'
import { Loading } from '../ui/query-state.tsx'
import { pluralize, formatTime, formatAge } from '../ui/format.ts'
import { Page } from '../shell/page.tsx'
import { getSessionTitle } from '../session/text-labels.ts'

export function HomePage() {
  const { me } = useConsoleHost()
  const mayDecide = useMayDecide()
  const reflections = useReflections()
  const sessions = useSessions({})
  // Render the rest once the height above is known, so nothing jumps.
  const isKnown = Boolean(reflections.items ?? reflections.error)
  return (
    <Page width="wide">
      <div className="grid grid-cols-1 gap-x-16 gap-y-10 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="flex min-w-0 flex-col gap-10">
          <MainReflection {...reflections} />
          {isKnown && <MoreActions />}
        </div>
        {isKnown && (
          <div className="flex min-w-0 flex-col gap-8">
            {mayDecide && <WaitingForYou />}
            <RecentSessions />
            {isAdmin(me.role) && (sessions.items ?? sessions.error) && <HealthSummary />}
          </div>
        )}
      </div>
    </Page>
  )
}

function MainReflection({ items, error, retry }: ReturnType<typeof useReflections>) {
  if (error && !items) {
    return <ErrorNotice error={error} retry={retry} />
  }
  if (!items) return <Loading className="min-h-64">Loading reflections…</Loading>
  const first = chooseMainReflection(items)
  if (!first) return <NoReflection />
  return (
    <>
      <TalkHero reflection={first} />
      <OtherReflections reflections={items.filter((one) => one !== first)} />
    </>
  )
}

function NoReflection() {
  const { me } = useConsoleHost()
  return (
    <section className="flex min-h-64 max-w-prose flex-col gap-3 text-sm leading-6">
      <h2 className="font-serif text-3xl text-balance">No reflections here yet</h2>
      <p>
        A reflection is an AI version of a person. It answers from what they wrote and said.{' '}
        {isAdmin(me.role)
          ? 'On a new server a demo appears here in a moment. You can also create your own.'
          : 'An admin of a reflection can add you to it; then it appears here.'}
      </p>
    </section>
  )
}

function MoreActions() {
  const { me } = useConsoleHost()
  const { newSession } = useShell()
  if (!newSession) return null
  return (
    <section aria-label="More actions" className="border-line flex flex-col gap-3 border-t pt-6">
      <div className="flex flex-wrap gap-3">
        {isAdmin(me.role) && (
          <Link
            to="/reflections"
            className="border-line hover:border-soft inline-flex min-h-11 items-center gap-2 rounded-md border px-4 text-sm"
          >
            <Icon name="reflections" />
            Create a reflection
          </Link>
        )}
        <Button icon="sessions" className="min-h-11" onClick={newSession}>
          Start a session with an agent
        </Button>
      </div>
    </section>
  )
}

/** Pending approvals. Same height without any, so the layout does not shift. */
function WaitingForYou() {
  const { data } = useApprovals()
  const count = data?.items.length
  return (
    <section
      aria-label="Waiting for you"
      className={`min-h-13 border-s-2 ps-4 text-sm leading-6 ${count ? 'border-accent' : 'border-line'}`}
    >
      <p className="font-serif text-lg">{count !== undefined && describeWaiting(count)}</p>
      {count !== undefined && (
        <Link to="/approvals" className="text-accent underline">
          {count === 0 ? 'About approvals' : 'Decide'}
        </Link>
      )}
    </section>
  )
}

function describeWaiting(count: number): string {
  if (count === 0) return 'No tool call needs your approval'
  return count === 1 ? 'One tool call needs your approval' : `${count} tool calls need your approval`
}

const MAX_SESSIONS = 6

function RecentSessions() {
  const { items, loadedAt, error } = useSessions({})
  const sessions = items?.slice(0, MAX_SESSIONS)
  return (
    <Section title="Recent sessions" className="min-h-32 gap-2">
      {!items && <ErrorNotice error={error} />}
      {sessions?.length === 0 && (
        <p className="text-soft text-sm leading-6">
          No sessions yet. Your conversations appear here, to reread or continue.
        </p>
      )}
      <ul className="flex flex-col">
        {sessions?.map(({ sessionId, title, updatedAt, openTurn }) => (
          <li key={sessionId}>
            <Link
              to="/sessions/$sessionId"
              params={{ sessionId }}
              className="text-soft hover:text-ink flex items-baseline gap-2 py-1.5 text-sm max-sm:py-3"
            >
              <span className="text-ink min-w-0 flex-1 truncate">{getSessionTitle({ title })}</span>
              {openTurn && <TurnMark state={openTurn.state} />}
              <time dateTime={updatedAt} title={formatTime(updatedAt)} className="shrink-0 text-xs">
                {formatAge(updatedAt, loadedAt)}
              </time>
            </Link>
          </li>
        ))}
      </ul>
      {sessions && sessions.length > 0 && (
        <Link to="/sessions" className="text-accent w-fit text-sm underline">
          All sessions
        </Link>
      )}
    </Section>
  )
}

/** Problems for the server's admins; also says when there are none. */
function HealthSummary() {
  const { data, dataUpdatedAt, error } = useHealth('1h')
  const problems = data && !error ? findHealthProblems(data, dataUpdatedAt) : undefined
  return (
    <Section title="Health" className="min-h-16 gap-2 text-sm leading-6">
      {error && (
        <p className="text-alarm">
          {isUnreachable(error) ? 'The server is not responding.' : 'Status unknown.'}
        </p>
      )}
      {problems?.length === 0 && (
        <p>
          No problems found.{' '}
          <Link to="/health" className="text-accent underline">
            Status
          </Link>
        </p>
      )}
      {problems && problems.length > 0 && (
        <ul>
          {problems.map(({ text, part }) => (
            <li key={text}>
              <Link to="/health" search={{ range: '1h' }} hash={part} className="text-alarm underline">
                {text}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

const MAX_REFLECTIONS = 4

function OtherReflections({ reflections }: { reflections: readonly Reflection[] }) {
  if (reflections.length === 0) return null
  return (
    <Section title="More reflections" className="gap-2">
      <Rows>
        {reflections.slice(0, MAX_REFLECTIONS).map(({ id, displayName }) => (
          <li key={id} className="flex items-baseline gap-4 py-2 text-sm">
            <Link
              to="/reflections/$reflectionId"
              params={{ reflectionId: id }}
              className="min-w-0 flex-1 truncate hover:underline"
            >
              {displayName}
            </Link>
            <Link
              to="/reflections/$reflectionId/talk"
              params={{ reflectionId: id }}
              aria-label={`Talk with ${displayName}`}
              className="text-accent py-1 underline"
            >
              Talk
            </Link>
          </li>
        ))}
      </Rows>
      {reflections.length > MAX_REFLECTIONS && (
        <Link to="/reflections" className="text-accent text-sm underline">
          All reflections
        </Link>
      )}
    </Section>
  )
}

const POLL_MS = { busy: 1_000, idle: 30_000 } as const

/** The main action: talk with the reflection. */
function TalkHero({ reflection }: { reflection: Reflection }) {
  const { id, displayName, namespaces } = reflection
  const { data } = useReflectionSummary(id, ({ sources }) => POLL_MS[sources.busy > 0 ? 'busy' : 'idle'])
  return (
    <section aria-labelledby="talk-title" className="flex flex-col gap-4">
      <h2 id="talk-title" className="font-serif text-3xl text-balance wrap-anywhere">
        {displayName}
      </h2>
      <Intro>
        An AI version of {displayName}. It answers from their sources and shows where each answer comes from.
      </Intro>
      <Link
        to="/reflections/$reflectionId/talk"
        params={{ reflectionId: id }}
        data-tour="talk"
        className="bg-accent text-on-accent flex min-h-14 w-fit items-center gap-3 rounded-lg px-7 py-3 text-lg font-medium hover:opacity-90 max-sm:w-full max-sm:justify-center"
      >
        <Icon name={canSpeak(reflection) ? 'microphone' : 'sessions'} />
        Talk with {displayName}
      </Link>
      <ImportProgressBar progress={data && toImportProgress(data)} />
      <p className="text-sm leading-6">
        <span className="inline-block first-letter:uppercase">{describePublicFolders(namespaces)}.</span>{' '}
        <Link to="/reflections/$reflectionId" params={{ reflectionId: id }} className="text-accent underline">
          Overview and public folders
        </Link>
      </p>
    </section>
  )
}

/** Fixed height, so the layout does not shift. */
function ImportProgressBar({ progress }: { progress: ImportProgress | undefined }) {
  return (
    <div className="flex min-h-6 flex-wrap items-center gap-x-4 text-sm max-sm:min-h-12">
      {progress && <p role="status">{progress.text}</p>}
      {progress && !progress.isOver && (
        <progress aria-label="Sources read" className="w-40" value={progress.done} max={progress.total} />
      )}
    </div>
  )
}

interface ImportProgress {
  readonly isOver: boolean
  readonly done: number
  readonly total: number
  readonly text: string
}

export function toImportProgress(summary: ReflectionSummary): ImportProgress {
  const { learned, busy, wrong } = summary.sources
  const done = learned + wrong
  const total = done + busy
  return {
    isOver: busy === 0,
    done,
    total,
    text: describeProgress({ done, total, learned, facts: countFacts(summary) }),
  }
}

function describeProgress(counts: Readonly<Record<'done' | 'total' | 'learned' | 'facts', number>>): string {
  const { done, total, learned, facts } = counts
  if (total === 0) return 'No sources yet.'
  if (done < total) return `Importing: ${done} of ${total} sources.`
  return `It knows ${pluralize(facts, 'fact')} from ${pluralize(learned, 'source')}.`
}

const canSpeak = ({ voice }: Pick<Reflection, 'voice'>): boolean => findVoiceProblems(voice).length === 0

/** The latest reflection with a voice, otherwise the latest. */
export const chooseMainReflection = <Listed extends Pick<Reflection, 'voice'>>(
  reflections: readonly Listed[],
): Listed | undefined => reflections.find(canSpeak) ?? reflections[0]

import { Link } from '@tanstack/react-router'
import { useConsoleHost } from '../app/console-host.ts'
import { useMayDecide } from '../approvals/use-approvals.ts'
import { useReflections } from '../reflections/use-reflections.ts'
import { isAdmin } from '../shell/navigation.ts'
import { PageHeader } from '../shell/page-header.tsx'
import { useShell } from '../shell/shell-context.ts'
import { useSessions } from '../shell/use-sessions.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { messageOf } from '../ui/message-of.ts'
import { Notice } from '../ui/notice.tsx'
import { PageBody } from '../ui/page-body.tsx'
import { firstToTalkWith } from './first-to-talk-with.ts'
import { NotWell } from './not-well.tsx'
import { OtherReflections } from './other-reflections.tsx'
import { RecentSessions } from './recent-sessions.tsx'
import { TalkHero } from './talk-hero.tsx'
import { WaitingForYou } from './waiting-for-you.tsx'

/** What there is to do, the first thing first. */
export function HomePage() {
  const { me } = useConsoleHost()
  const mayDecide = useMayDecide()
  const reflections = useReflections()
  const sessions = useSessions('')
  // What stands below something whose height is not known yet would jump.
  const isKnown = Boolean(reflections.items ?? reflections.error)
  return (
    <>
      <title>Parley</title>
      <PageHeader title="Home" />
      <PageBody width="wide">
        <div className="grid grid-cols-1 gap-x-16 gap-y-10 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <div className="flex min-w-0 flex-col gap-10">
            <First {...reflections} />
            {isKnown && <Doings />}
          </div>
          {isKnown && (
            <div className="flex min-w-0 flex-col gap-8">
              {mayDecide && <WaitingForYou />}
              <RecentSessions />
              {isAdmin(me.role) && (sessions.data ?? sessions.error) && <NotWell />}
            </div>
          )}
        </div>
      </PageBody>
    </>
  )
}

function First({ items, error, again }: ReturnType<typeof useReflections>) {
  if (error && !items) {
    return <Notice action={<Button onClick={again}>Try again</Button>}>{messageOf(error)}</Notice>
  }
  if (!items) return <p className="animate-late text-soft min-h-64 text-sm">Looking for reflections…</p>
  const first = firstToTalkWith(items)
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
      <h2 className="font-serif text-3xl text-balance">No reflection to talk with yet</h2>
      <p>
        A reflection speaks for a person, from what they wrote and said.{' '}
        {isAdmin(me.role)
          ? 'On a new server the demo appears here by itself within a moment; or make one of your own.'
          : 'An admin of a reflection can add you to it; then it appears here.'}
      </p>
    </section>
  )
}

function Doings() {
  const { me } = useConsoleHost()
  const { newSession } = useShell()
  if (!newSession) return null
  return (
    <section aria-label="What else to do" className="border-line flex flex-col gap-3 border-t pt-6">
      <div className="flex flex-wrap gap-3">
        {isAdmin(me.role) && (
          <Link
            to="/reflections"
            className="border-line hover:border-soft inline-flex min-h-11 items-center gap-2 rounded-md border px-4 text-sm"
          >
            <Icon name="reflections" />
            Make a reflection of your own
          </Link>
        )}
        <Button className="min-h-11" onClick={newSession}>
          <Icon name="sessions" />
          Start a session with an agent
        </Button>
      </div>
    </section>
  )
}

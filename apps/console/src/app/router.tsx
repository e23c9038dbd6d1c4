import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { HealthRange, type ReflectionId, type SessionId, type SourceId } from '@parley/contracts'
import { HomePage } from '../home/home-page.tsx'
import { factsShown } from '../reflections/facts/facts-shown.ts'
import { besideInAddress } from '../reflections/runtime/ledger/beside-in-address.ts'
import { lookInAddress } from '../reflections/runtime/variables/look-in-address.ts'
import { passageInAddress } from '../reflections/source/passage.ts'
import { NewSessionPage } from '../session/new-session-page.tsx'
import { parseEventType, parseFindParam, parseReplayPosition } from '../session/search-params.ts'
import { SessionPage } from '../session/session-page.tsx'
import { TranscriptPage } from '../session/transcript-page.tsx'
import { parseFilters } from '../sessions/session-filters.ts'
import { FailedPage, NotFoundPage } from '../shell/error-pages.tsx'
import { Shell } from '../shell/shell.tsx'
import { parseSessionParam } from '../talk/talk-host.ts'

const root = createRootRoute({ component: Shell, notFoundComponent: NotFoundPage })

const home = createRoute({ getParentRoute: () => root, path: '/', component: HomePage })

/** Loaded when one of these pages is first opened. */
const sessionPages = () => import('../sessions/pages.ts')

const SessionsPage = lazyRouteComponent(sessionPages, 'SessionsPage')

const sessions = createRoute({
  getParentRoute: () => root,
  path: '/sessions',
  validateSearch: parseFilters,
  component: function SessionsRoute() {
    return <SessionsPage filters={sessions.useSearch()} />
  },
})

const approvals = createRoute({
  getParentRoute: () => root,
  path: '/approvals',
  component: lazyRouteComponent(sessionPages, 'ApprovalsPage'),
})

const newSession = createRoute({
  getParentRoute: () => root,
  path: '/sessions/new',
  component: NewSessionPage,
})

const session = createRoute({
  getParentRoute: () => root,
  path: '/sessions/$sessionId',
  component: function SessionRoute() {
    const { sessionId } = session.useParams()
    return <SessionPage key={sessionId} sessionId={sessionId as SessionId} />
  },
})

const transcript = createRoute({
  getParentRoute: () => session,
  path: '/',
  validateSearch: parseFindParam,
  component: function TranscriptRoute() {
    return <TranscriptPage find={transcript.useSearch().find} />
  },
})

const EventsPage = lazyRouteComponent(sessionPages, 'EventsPage')

const events = createRoute({
  getParentRoute: () => session,
  path: '/events',
  validateSearch: parseEventType,
  component: function EventsRoute() {
    return <EventsPage type={events.useSearch().type} />
  },
})

const ReplayPage = lazyRouteComponent(sessionPages, 'ReplayPage')

const replay = createRoute({
  getParentRoute: () => session,
  path: '/replay',
  validateSearch: parseReplayPosition,
  component: function ReplayRoute() {
    return <ReplayPage start={replay.useSearch()} />
  },
})

const exported = createRoute({
  getParentRoute: () => session,
  path: '/export',
  component: lazyRouteComponent(sessionPages, 'ExportPage'),
})

/** Loaded when one of these pages is first opened. */
const pages = () => import('../reflections/pages.ts')

const reflections = createRoute({
  getParentRoute: () => root,
  path: '/reflections',
  component: lazyRouteComponent(pages, 'ReflectionsPage'),
})

/** A separate chunk, so the talk page does not load all other parts. */
const ReflectionFrame = lazyRouteComponent(
  () => import('../reflections/reflection-frame.tsx'),
  'ReflectionFrame',
)

const reflection = createRoute({
  getParentRoute: () => root,
  path: '/reflections/$reflectionId',
  component: function ReflectionRoute() {
    const { reflectionId } = reflection.useParams()
    return <ReflectionFrame key={reflectionId} reflectionId={reflectionId as ReflectionId} />
  },
})

const overview = createRoute({
  getParentRoute: () => reflection,
  path: '/',
  component: lazyRouteComponent(pages, 'OverviewPage'),
})

const sources = createRoute({
  getParentRoute: () => reflection,
  path: '/sources',
  component: lazyRouteComponent(pages, 'SourcesPage'),
})

const SourcePage = lazyRouteComponent(pages, 'SourcePage')

/** `start` and `end` are the first and the last words of a passage, as in a browser's own links to text. */
const source = createRoute({
  getParentRoute: () => reflection,
  path: '/sources/$sourceId',
  validateSearch: passageInAddress,
  component: function SourceRoute() {
    const { sourceId } = source.useParams()
    return <SourcePage key={sourceId} sourceId={sourceId as SourceId} passage={source.useSearch()} />
  },
})

const FactsPage = lazyRouteComponent(pages, 'FactsPage')

const facts = createRoute({
  getParentRoute: () => reflection,
  path: '/facts',
  validateSearch: factsShown,
  component: function FactsRoute() {
    return <FactsPage shown={facts.useSearch()} />
  },
})

const patches = createRoute({
  getParentRoute: () => reflection,
  path: '/patches',
  component: lazyRouteComponent(pages, 'PatchesPage'),
})

const TalkPage = lazyRouteComponent(() => import('../talk/member-talk-page.tsx'), 'TalkPage')

/** `session` is the running conversation, so a reload finds it. */
const talk = createRoute({
  getParentRoute: () => reflection,
  path: '/talk',
  validateSearch: parseSessionParam,
  component: function TalkRoute() {
    return <TalkPage sessionId={talk.useSearch().session} />
  },
})

const members = createRoute({
  getParentRoute: () => reflection,
  path: '/members',
  component: lazyRouteComponent(pages, 'MembersPage'),
})

const share = createRoute({
  getParentRoute: () => reflection,
  path: '/share',
  component: lazyRouteComponent(pages, 'SharePage'),
})

const voice = createRoute({
  getParentRoute: () => reflection,
  path: '/voice',
  component: lazyRouteComponent(pages, 'VoicePage'),
})

const ask = createRoute({
  getParentRoute: () => reflection,
  path: '/ask',
  component: lazyRouteComponent(pages, 'AskPage'),
})

const health = createRoute({
  getParentRoute: () => root,
  path: '/health',
  validateSearch: ({ range }): { range?: HealthRange } => {
    const known = HealthRange.safeParse(range)
    return known.success ? { range: known.data } : {}
  },
  component: lazyRouteComponent(() => import('../health/health-pages.ts'), 'HealthPage'),
})

const runtimePages = () => import('../reflections/runtime/runtime-pages.ts')

const runtime = createRoute({
  getParentRoute: () => reflection,
  path: '/runtime',
  component: lazyRouteComponent(runtimePages, 'RuntimeFrame'),
})

const agents = createRoute({
  getParentRoute: () => runtime,
  path: '/',
  component: lazyRouteComponent(runtimePages, 'AgentsPage'),
})

const ledger = createRoute({
  getParentRoute: () => runtime,
  path: '/ledger',
  component: lazyRouteComponent(runtimePages, 'LedgerPage'),
})

const GenerationPage = lazyRouteComponent(runtimePages, 'GenerationPage')

const generation = createRoute({
  getParentRoute: () => runtime,
  path: '/ledger/$generation',
  validateSearch: besideInAddress,
  component: function GenerationRoute() {
    const params = generation.useParams()
    const { beside } = generation.useSearch()
    return <GenerationPage key={params.generation} generation={Number(params.generation)} beside={beside} />
  },
})

const VariablesPage = lazyRouteComponent(runtimePages, 'VariablesPage')

const variables = createRoute({
  getParentRoute: () => runtime,
  path: '/variables',
  validateSearch: lookInAddress,
  component: function VariablesRoute() {
    return <VariablesPage look={variables.useSearch()} />
  },
})

const routeTree = root.addChildren([
  home,
  sessions,
  approvals,
  newSession,
  session.addChildren([transcript, events, replay, exported]),
  health,
  reflections,
  reflection.addChildren([
    overview,
    talk,
    sources,
    source,
    facts,
    patches,
    members,
    share,
    voice,
    ask,
    runtime.addChildren([agents, ledger, generation, variables]),
  ]),
])

export const createConsoleRouter = () => createRouter({ routeTree, defaultErrorComponent: FailedPage })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}

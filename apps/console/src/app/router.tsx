import type { ReflectionId, SessionId } from '@parley/contracts'
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { SessionPage } from '../session/session-page.tsx'
import { HomePage } from '../shell/home-page.tsx'
import { NotFoundPage } from '../shell/not-found-page.tsx'
import { Shell } from '../shell/shell.tsx'

const root = createRootRoute({ component: Shell, notFoundComponent: NotFoundPage })

const home = createRoute({ getParentRoute: () => root, path: '/', component: HomePage })

const session = createRoute({
  getParentRoute: () => root,
  path: '/sessions/$sessionId',
  component: function SessionRoute() {
    const { sessionId } = session.useParams()
    return <SessionPage key={sessionId} sessionId={sessionId as SessionId} />
  },
})

/** Fetched when the first of them is opened. */
const pages = () => import('../reflections/pages.ts')

const reflections = createRoute({
  getParentRoute: () => root,
  path: '/reflections',
  component: lazyRouteComponent(pages, 'ReflectionsPage'),
})

const ReflectionFrame = lazyRouteComponent(pages, 'ReflectionFrame')

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

const facts = createRoute({
  getParentRoute: () => reflection,
  path: '/facts',
  component: lazyRouteComponent(pages, 'FactsPage'),
})

const patches = createRoute({
  getParentRoute: () => reflection,
  path: '/patches',
  component: lazyRouteComponent(pages, 'PatchesPage'),
})

const members = createRoute({
  getParentRoute: () => reflection,
  path: '/members',
  component: lazyRouteComponent(pages, 'MembersPage'),
})

const ask = createRoute({
  getParentRoute: () => reflection,
  path: '/ask',
  component: lazyRouteComponent(pages, 'AskPage'),
})

const routeTree = root.addChildren([
  home,
  session,
  reflections,
  reflection.addChildren([overview, sources, facts, patches, members, ask]),
])

export const createConsoleRouter = () => createRouter({ routeTree })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}

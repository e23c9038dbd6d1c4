import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { HomePage } from '../home/home-page.tsx'
import { FailedPage, NotFoundPage } from '../shell/page.tsx'
import { Shell } from '../shell/shell.tsx'
import { parseSessionParam } from '../talk/talk-host.ts'
import {
  parseComparedVersion,
  parseEventType,
  parseFactFilters,
  parseFindParam,
  parseHealthRange,
  parsePassage,
  parsePreviewSession,
  parseReplayPosition,
  parseSessionFilters,
} from './search-params.ts'

// Each chunk loads when one of its pages is first opened.
const sessionPages = () => import('../sessions/pages.ts')
const reflectionPages = () => import('../reflections/pages.ts')
const runtimePages = () => import('../reflections/runtime/runtime-pages.ts')

// The frames around pages.
const root = createRootRoute({ component: Shell, notFoundComponent: NotFoundPage })
const session = createRoute({
  getParentRoute: () => root,
  path: '/sessions/$sessionId',
  remountDeps: ({ params }) => params.sessionId,
  component: lazyRouteComponent(sessionPages, 'SessionFrame'),
})
const reflection = createRoute({
  getParentRoute: () => root,
  path: '/reflections/$reflectionId',
  remountDeps: ({ params }) => params.reflectionId,
  // A chunk of its own, so the talk page does not load the other pages.
  component: lazyRouteComponent(() => import('../reflections/reflection-frame.tsx'), 'ReflectionFrame'),
})
const runtime = createRoute({
  getParentRoute: () => reflection,
  path: '/runtime',
  staticData: { label: 'Runtime', nav: 'reflection', hasSubpages: true },
  component: lazyRouteComponent(runtimePages, 'RuntimeFrame'),
})

/**
 * Every page as one record: its path and search parameters, how navigation shows it (see `PageRecord`), and its component.
 * The side bar, the tabs, the palette and the browser's title follow from the records, in their order.
 */
const routeTree = root.addChildren([
  createRoute({
    getParentRoute: () => root,
    path: '/',
    staticData: { label: 'Home', nav: 'main', icon: 'home', isInTitle: false },
    component: HomePage,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/reflections',
    staticData: { label: 'Reflections', nav: 'main', icon: 'reflections' },
    component: lazyRouteComponent(reflectionPages, 'ReflectionsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/sessions',
    staticData: { label: 'Sessions', nav: 'main', icon: 'sessions' },
    validateSearch: parseSessionFilters,
    component: lazyRouteComponent(sessionPages, 'SessionsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/approvals',
    staticData: { label: 'Approvals', nav: 'main', icon: 'approvals', minRole: 'operator' },
    component: lazyRouteComponent(sessionPages, 'ApprovalsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/health',
    staticData: { label: 'Health', nav: 'main', icon: 'health', minRole: 'admin' },
    validateSearch: parseHealthRange,
    component: lazyRouteComponent(() => import('../health/health-page.tsx'), 'HealthPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/sessions/new',
    staticData: { label: 'New session' },
    component: lazyRouteComponent(sessionPages, 'NewSessionPage'),
  }),
  session.addChildren([
    createRoute({
      getParentRoute: () => session,
      path: '/',
      staticData: { label: 'Transcript', nav: 'session', isInTitle: false },
      validateSearch: parseFindParam,
      component: lazyRouteComponent(sessionPages, 'TranscriptPage'),
    }),
    createRoute({
      getParentRoute: () => session,
      path: '/events',
      staticData: { label: 'Events', nav: 'session' },
      validateSearch: parseEventType,
      component: lazyRouteComponent(sessionPages, 'EventsPage'),
    }),
    createRoute({
      getParentRoute: () => session,
      path: '/replay',
      staticData: { label: 'Replay', nav: 'session' },
      validateSearch: parseReplayPosition,
      component: lazyRouteComponent(sessionPages, 'ReplayPage'),
    }),
    createRoute({
      getParentRoute: () => session,
      path: '/export',
      staticData: { label: 'Export', nav: 'session' },
      component: lazyRouteComponent(sessionPages, 'ExportPage'),
    }),
  ]),
  reflection.addChildren([
    createRoute({
      getParentRoute: () => reflection,
      path: '/talk',
      staticData: { label: 'Talk', nav: 'reflection', icon: 'microphone' },
      validateSearch: parseSessionParam,
      component: lazyRouteComponent(() => import('../talk/member-talk-page.tsx'), 'MemberTalkPage'),
    }),
    createRoute({
      getParentRoute: () => reflection,
      path: '/',
      staticData: { label: 'Overview', nav: 'reflection' },
      component: lazyRouteComponent(reflectionPages, 'OverviewPage'),
    }),
    createRoute({
      getParentRoute: () => reflection,
      path: '/sources',
      staticData: { label: 'Sources', nav: 'reflection' },
      component: lazyRouteComponent(reflectionPages, 'SourcesPage'),
    }),
    createRoute({
      getParentRoute: () => reflection,
      path: '/sources/$sourceId',
      validateSearch: parsePassage,
      remountDeps: ({ params }) => params.sourceId,
      component: lazyRouteComponent(reflectionPages, 'SourcePage'),
    }),
    createRoute({
      getParentRoute: () => reflection,
      path: '/facts',
      staticData: { label: 'Facts', nav: 'reflection' },
      validateSearch: parseFactFilters,
      component: lazyRouteComponent(reflectionPages, 'FactsPage'),
    }),
    createRoute({
      getParentRoute: () => reflection,
      path: '/patches',
      staticData: { label: 'Review', nav: 'reflection' },
      component: lazyRouteComponent(reflectionPages, 'PatchesPage'),
    }),
    createRoute({
      getParentRoute: () => reflection,
      path: '/ask',
      staticData: { label: 'Ask', nav: 'reflection' },
      component: lazyRouteComponent(reflectionPages, 'AskPage'),
    }),
    createRoute({
      getParentRoute: () => reflection,
      path: '/voice',
      staticData: { label: 'Voice', nav: 'reflection' },
      component: lazyRouteComponent(reflectionPages, 'VoicePage'),
    }),
    createRoute({
      getParentRoute: () => reflection,
      path: '/share',
      staticData: { label: 'Share', nav: 'reflection', minRole: 'admin' },
      component: lazyRouteComponent(reflectionPages, 'SharePage'),
    }),
    runtime.addChildren([
      createRoute({
        getParentRoute: () => runtime,
        path: '/',
        staticData: { label: 'Agents', nav: 'runtime' },
        component: lazyRouteComponent(runtimePages, 'AgentsPage'),
      }),
      createRoute({
        getParentRoute: () => runtime,
        path: '/ledger',
        staticData: { label: 'Version history', nav: 'runtime', hasSubpages: true },
        component: lazyRouteComponent(runtimePages, 'VersionHistoryPage'),
      }),
      createRoute({
        getParentRoute: () => runtime,
        path: '/ledger/$generation',
        validateSearch: parseComparedVersion,
        remountDeps: ({ params }) => params.generation,
        component: lazyRouteComponent(runtimePages, 'GenerationPage'),
      }),
      createRoute({
        getParentRoute: () => runtime,
        path: '/variables',
        staticData: { label: 'Variables', nav: 'runtime' },
        validateSearch: parsePreviewSession,
        component: lazyRouteComponent(runtimePages, 'VariablesPage'),
      }),
    ]),
    createRoute({
      getParentRoute: () => reflection,
      path: '/members',
      staticData: { label: 'Members', nav: 'reflection', minRole: 'admin' },
      component: lazyRouteComponent(reflectionPages, 'MembersPage'),
    }),
  ]),
])

export const createConsoleRouter = () => createRouter({ routeTree, defaultErrorComponent: FailedPage })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}

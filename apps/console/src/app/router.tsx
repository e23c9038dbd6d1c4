import type { SessionId } from '@parley/contracts'
import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router'
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

const routeTree = root.addChildren([home, session])

export const createConsoleRouter = () => createRouter({ routeTree })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}

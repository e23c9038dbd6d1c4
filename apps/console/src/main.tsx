// oxlint-disable import/no-unassigned-import -- imported for their side effects
import './configure-zod.ts'
import './styles.css'
// oxlint-enable import/no-unassigned-import
import { createRoot } from 'react-dom/client'
import { createBrowserStorage } from './app/browser-storage.ts'
import { takeLinkToken } from './auth/link-token.ts'
import { applyTheme, readTheme } from './shell/shell-context.ts'

const storage = createBrowserStorage(() => window.localStorage)
applyTheme(readTheme(storage))

// First of all: the address may contain a secret.
const linkToken = takeLinkToken(window)
const [, visited] = /^\/r\/([^/]+)\/?$/.exec(window.location.pathname) ?? []

/** Visitors load no console code, and the console shares nothing with their page. */
async function start(element: HTMLElement) {
  const root = createRoot(element)
  if (visited === undefined) {
    const { startConsole } = await import('./start-console.tsx')
    startConsole(root, { storage, linkToken })
  } else {
    const { startVisit } = await import('./start-visit.tsx')
    startVisit(root, decodeURIComponent(visited))
  }
}

const element = document.getElementById('root')
if (element) void start(element)

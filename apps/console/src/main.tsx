// oxlint-disable import/no-unassigned-import -- both are there for what they do
import './without-eval.ts'
import './styles.css'
// oxlint-enable import/no-unassigned-import
import { createRoot } from 'react-dom/client'
import { createKeep } from './app/keep.ts'
import { takeLinkToken } from './auth/link-token.ts'
import { applyTheme, keptTheme } from './shell/theme.ts'

const keep = createKeep(() => window.localStorage)
applyTheme(keptTheme(keep))

// Before anything else looks at the address: what stands there is a secret.
const linkToken = takeLinkToken(window)
const [, visited] = /^\/r\/([^/]+)\/?$/.exec(window.location.pathname) ?? []

/** Who comes by a link is given nothing of the console, and the console nothing of theirs. */
async function start(element: HTMLElement) {
  const root = createRoot(element)
  if (visited === undefined) {
    const { startConsole } = await import('./start-console.tsx')
    startConsole(root, { keep, linkToken })
  } else {
    const { startVisit } = await import('./start-visit.tsx')
    startVisit(root, decodeURIComponent(visited))
  }
}

const element = document.getElementById('root')
if (element) void start(element)

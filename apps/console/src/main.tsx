// oxlint-disable import/no-unassigned-import -- both are there for what they do
import './without-eval.ts'
import './styles.css'
// oxlint-enable import/no-unassigned-import
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { createKeep } from './app/keep.ts'
import { takeLinkToken } from './auth/link-token.ts'
import { applyTheme, keptTheme } from './shell/theme.ts'

const keep = createKeep(() => window.localStorage)
applyTheme(keptTheme(keep))

// Before anything else looks at the address: what stands there is a secret.
const linkToken = takeLinkToken(window)

const root = document.getElementById('root')
if (root) createRoot(root).render(<App keep={keep} linkToken={linkToken} />)

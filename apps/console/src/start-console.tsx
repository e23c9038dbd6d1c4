import type { Root } from 'react-dom/client'
import { App } from './app/app.tsx'
import type { Keep } from './app/keep.ts'

interface Opening {
  readonly keep: Keep
  readonly linkToken: string | undefined
}

/** The console, for who signs in. */
export const startConsole = (root: Root, { keep, linkToken }: Opening): void =>
  root.render(<App keep={keep} linkToken={linkToken} />)

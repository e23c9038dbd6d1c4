import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { LinkQuestion } from '../auth/link-question.tsx'
import { SignInPage, UnreachablePage } from '../auth/sign-in-page.tsx'
import { type SignInControls, useSignIn } from '../auth/use-sign-in.ts'
import { type ConsoleHost, ConsoleHostContext } from './console-host.ts'
import type { Keep } from './keep.ts'
import { createConsoleRouter } from './router.tsx'

export function App({ keep, linkToken }: { keep: Keep; linkToken: string | undefined }) {
  const controls = useSignIn(keep, linkToken)
  return (
    <>
      {pageFor(controls, keep)}
      {controls.link && <LinkQuestion {...controls.link} />}
    </>
  )
}

function pageFor({ signIn, enter, leave }: SignInControls, browserKeep: Keep): ReactNode {
  switch (signIn.kind) {
    case 'checking':
      return <p className="animate-late text-soft p-8 text-sm">Signing in…</p>
    case 'signed-out':
      return <SignInPage error={signIn.error} onToken={enter} />
    case 'unreachable':
      return <UnreachablePage error={signIn.error} onRetry={signIn.retry} />
    case 'signed-in': {
      const { kind: _, ...who } = signIn
      return <Console key={who.me.personId} host={{ ...who, browserKeep, leave }} />
    }
    default:
      return signIn satisfies never
  }
}

/** The server may be on this very machine: whether it answers is found out by asking, not by what the browser says of the network. */
const DEFAULTS = {
  queries: { retry: 1, networkMode: 'always', refetchOnReconnect: true },
  mutations: { networkMode: 'always' },
} as const

/** Made anew for everyone who signs in, so that nobody meets what another has loaded. */
function Console({ host }: { host: ConsoleHost }) {
  const [queries] = useState(() => new QueryClient({ defaultOptions: DEFAULTS }))
  const [router] = useState(createConsoleRouter)
  return (
    <ConsoleHostContext value={host}>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </ConsoleHostContext>
  )
}

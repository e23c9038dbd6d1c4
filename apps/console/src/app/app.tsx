import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useState } from 'react'
import { SignInPage, UnreachablePage } from '../auth/sign-in-page.tsx'
import { useSignIn } from '../auth/use-sign-in.ts'
import { type ConsoleHost, ConsoleHostContext } from './console-host.ts'
import type { Keep } from './keep.ts'
import { createConsoleRouter } from './router.tsx'

export function App({ keep, linkToken }: { keep: Keep; linkToken: string | undefined }) {
  const { signIn, enter, leave } = useSignIn(keep, linkToken)
  switch (signIn.kind) {
    case 'checking':
      return <p className="animate-late text-soft p-8 text-sm">Signing in…</p>
    case 'signed-out':
      return <SignInPage error={signIn.error} onToken={enter} />
    case 'unreachable':
      return <UnreachablePage error={signIn.error} onRetry={() => enter(signIn.token)} />
    case 'signed-in': {
      const { me, client } = signIn
      return <Console key={me.personId} host={{ me, client, keep, leave }} />
    }
    default:
      return signIn satisfies never
  }
}

/** Made anew for everyone who signs in, so that nobody meets what another has loaded. */
function Console({ host }: { host: ConsoleHost }) {
  const [queries] = useState(() => new QueryClient({ defaultOptions: { queries: { retry: 1 } } }))
  const [router] = useState(createConsoleRouter)
  return (
    <ConsoleHostContext value={host}>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </ConsoleHostContext>
  )
}

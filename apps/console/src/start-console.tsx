import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Root } from 'react-dom/client'
import { type ConsoleHost, ConsoleHostContext } from './app/console-host.ts'
import type { BrowserStorage } from './app/browser-storage.ts'
import { createConsoleRouter } from './app/router.tsx'
import { type OpenedLink, type SignInControls, useSignIn } from './auth/use-sign-in.ts'
import { Button } from './ui/button.tsx'
import { Notice } from './ui/notice.tsx'
import { Panel } from './ui/panel.tsx'
import { ConfirmForm } from './ui/confirm-form.tsx'
import { escapeInvisible } from './ui/escape-invisible.ts'
import { Loading } from './ui/query-state.tsx'
import { Form } from './ui/form.tsx'

interface ConsoleOptions {
  readonly storage: BrowserStorage
  readonly linkToken: string | undefined
}

/** The console, for people who sign in. */
export const startConsole = (root: Root, { storage, linkToken }: ConsoleOptions): void =>
  root.render(<App storage={storage} linkToken={linkToken} />)

function App({ storage, linkToken }: { storage: BrowserStorage; linkToken: string | undefined }) {
  const controls = useSignIn(storage, linkToken)
  return (
    <>
      {renderPage(controls, storage)}
      {controls.link && <OpenedLinkPanel {...controls.link} />}
    </>
  )
}

function renderPage({ state, signIn, signOut }: SignInControls, browserStorage: BrowserStorage): ReactNode {
  switch (state.kind) {
    case 'checking':
      return <Loading className="p-8">Signing in…</Loading>
    case 'signed-out':
      return <SignInPage error={state.error} onToken={signIn} />
    case 'unreachable':
      return <UnreachablePage error={state.error} onRetry={state.retry} />
    case 'signed-in': {
      const { kind: _, ...who } = state
      return <Console key={who.me.personId} host={{ ...who, browserStorage, signOut }} />
    }
    default:
      return state satisfies never
  }
}

/** The server may be on this machine, so the browser's online state says nothing about it. */
const DEFAULTS = {
  queries: { retry: 1, networkMode: 'always', refetchOnReconnect: true },
  mutations: { networkMode: 'always' },
} as const

/** Created for each person who signs in, so nobody sees data that another person loaded. */
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

/** Asks before a signed-in person switches accounts, or says that the link does not work. */
function OpenedLinkPanel({ currentAccount, linkAccount, switchAccount, keepAccount }: OpenedLink) {
  const name = escapeInvisible(currentAccount.label)
  const isGood = typeof linkAccount !== 'string'
  const title = isGood ? 'Switch account?' : 'This link does not work'
  return (
    <Panel title={title} place="middle" open onOpenChange={(open) => open || keepAccount()}>
      <div className="pt-3 break-words">
        <ConfirmForm
          label={title}
          yes={isGood ? `Switch to ${escapeInvisible(linkAccount.label)}` : 'Try again'}
          no={`Stay signed in as ${name}`}
          action={{ isPending: false, error: null, mutate: switchAccount }}
          onClose={keepAccount}
        >
          {isGood ? (
            <>
              <p>
                You are signed in as {name}. Switch to {escapeInvisible(linkAccount.label)}?
              </p>
              <p className="text-soft">
                This changes the account in every tab and ends a running call. Your drafts are kept.
              </p>
            </>
          ) : (
            <p>
              {linkAccount} You are still signed in as {name}.
            </p>
          )}
        </ConfirmForm>
      </div>
    </Panel>
  )
}

function SignInPage({ error, onToken }: { error?: string | undefined; onToken: (token: string) => void }) {
  const [token, setToken] = useState('')
  return (
    <SignedOutPage>
      {error && <Notice>{error}</Notice>}
      <Form
        className="flex flex-col gap-3"
        isDisabled={token.trim() === ''}
        onSubmit={() => onToken(token.trim())}
      >
        <label htmlFor="token" className="text-sm font-medium">
          Token
        </label>
        <input
          id="token"
          type="password"
          required
          autoFocus
          autoComplete="off"
          spellCheck={false}
          value={token}
          onChange={(event) => setToken(event.target.value)}
          aria-describedby="token-help"
          className="border-edge bg-paper rounded-md border px-3 py-2 font-mono text-sm"
        />
        <p id="token-help" className="text-soft text-sm">
          Parley prints a sign-in link when it starts. Open that link, or paste its token here. If you were
          invited, ask the person who invited you for a new link.
        </p>
        <Button type="submit" variant="primary" className="self-start">
          Sign in
        </Button>
      </Form>
    </SignedOutPage>
  )
}

function UnreachablePage({ error, onRetry }: { error: string; onRetry: () => void }) {
  return (
    <SignedOutPage>
      <Notice>{error}</Notice>
      <Button variant="primary" className="self-start" onClick={onRetry}>
        Try again
      </Button>
    </SignedOutPage>
  )
}

function SignedOutPage({ children }: { children: ReactNode }) {
  return (
    <main className="mx-auto flex min-h-dvh max-w-sm flex-col justify-center gap-6 px-6 pb-24">
      <h1 className="font-serif text-3xl">Parley</h1>
      {children}
    </main>
  )
}

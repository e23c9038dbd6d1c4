import { type ReactNode, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'

export function SignInPage({
  error,
  onToken,
}: {
  error?: string | undefined
  onToken: (token: string) => void
}) {
  const [token, setToken] = useState('')
  return (
    <Doorstep>
      {error && <Notice>{error}</Notice>}
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (token.trim()) onToken(token.trim())
        }}
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
          invited, whoever invited you can send you a new link.
        </p>
        <Button type="submit" look="main" className="self-start">
          Sign in
        </Button>
      </form>
    </Doorstep>
  )
}

export function UnreachablePage({ error, onRetry }: { error: string; onRetry: () => void }) {
  return (
    <Doorstep>
      <Notice>{error}</Notice>
      <Button look="main" className="self-start" onClick={onRetry}>
        Try again
      </Button>
    </Doorstep>
  )
}

function Doorstep({ children }: { children: ReactNode }) {
  return (
    <main className="mx-auto flex min-h-dvh max-w-sm flex-col justify-center gap-6 px-6 pb-24">
      <h1 className="font-serif text-3xl">Parley</h1>
      {children}
    </main>
  )
}

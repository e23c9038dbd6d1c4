import { type ApiClient, createApiClient } from '@parley/api-client'
import { type Me, PlatformError } from '@parley/contracts'
import { useCallback, useEffect, useState } from 'react'
import type { Keep } from '../app/keep.ts'
import { messageOf } from '../ui/message-of.ts'
import { isSignInLink, takeLinkToken } from './link-token.ts'

export type SignIn =
  | { readonly kind: 'checking' }
  | { readonly kind: 'signed-out'; readonly error?: string }
  | { readonly kind: 'unreachable'; readonly token: string; readonly error: string }
  | { readonly kind: 'signed-in'; readonly me: Me; readonly client: ApiClient }

export interface SignInControls {
  readonly signIn: SignIn
  readonly enter: (token: string) => void
  readonly leave: () => void
}

const TOKEN = 'token'

/** Who is here, from the sign-in link, else from the last visit. */
export function useSignIn(keep: Keep, linkToken: string | undefined): SignInControls {
  const [signIn, setSignIn] = useState<SignIn>({ kind: 'checking' })

  const enter = useCallback(
    (token: string) => {
      setSignIn({ kind: 'checking' })
      const refuse = (error: string) => {
        if (keep.read(TOKEN) === token) keep.write(TOKEN, undefined)
        setSignIn({ kind: 'signed-out', error })
      }
      const client = watchedClient(token, () => refuse(NO_LONGER_VALID))
      const check = async () => {
        try {
          const me = await client.me()
          keep.write(TOKEN, token)
          setSignIn({ kind: 'signed-in', me, client })
        } catch (failure) {
          const error = messageOf(failure)
          if (isAboutToken(failure)) refuse(error)
          else setSignIn({ kind: 'unreachable', token, error })
        }
      }
      void check()
    },
    [keep],
  )

  const leave = useCallback(() => {
    keep.write(TOKEN, undefined)
    keep.forget('session.')
    setSignIn({ kind: 'signed-out' })
  }, [keep])

  useEffect(() => {
    const token = linkToken ?? keep.read(TOKEN)
    if (token) enter(token)
    else setSignIn({ kind: 'signed-out' })
  }, [keep, linkToken, enter])

  useEffect(() => followOtherTabs(enter, () => setSignIn({ kind: 'signed-out' })), [enter])

  return { signIn, enter, leave }
}

const NO_LONGER_VALID =
  'Your token is no longer valid. Sign in with a new one to go on; what you were writing is kept.'

function watchedClient(token: string, onUnauthenticated: () => void): ApiClient {
  let checked = false
  return createApiClient({
    baseUrl: '',
    token,
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      if (response.status === 401 && checked) onUnauthenticated()
      checked ||= response.ok
      return response
    },
  })
}

const isAboutToken = (failure: unknown) =>
  failure instanceof PlatformError && (failure.code === 'unauthenticated' || failure.code === 'forbidden')

/** A sign-in link may be opened in this tab while it shows the console, and another tab may sign out. */
function followOtherTabs(enter: (token: string) => void, left: () => void): () => void {
  const onLink = (event: Event) => {
    if (!isSignInLink(window.location.hash)) return
    event.stopImmediatePropagation()
    const token = takeLinkToken(window)
    if (token) enter(token)
  }
  const onKept = ({ key, newValue }: StorageEvent) => {
    if (key === `parley.${TOKEN}` && newValue === null) left()
  }
  window.addEventListener('popstate', onLink, { capture: true })
  window.addEventListener('storage', onKept)
  return () => {
    window.removeEventListener('popstate', onLink, { capture: true })
    window.removeEventListener('storage', onKept)
  }
}

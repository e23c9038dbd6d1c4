import { type ApiClient, createApiClient } from '@parley/api-client'
import { type Me, PlatformError } from '@parley/contracts'
import { useCallback, useEffect, useState } from 'react'
import { type BrowserStorage, createPersonStorage } from '../app/browser-storage.ts'
import { getErrorMessage } from '../ui/error-message.ts'
import { isSignInLink, takeLinkToken } from './link-token.ts'

export type SignIn =
  | { readonly kind: 'checking' }
  | { readonly kind: 'signed-out'; readonly error?: string }
  | { readonly kind: 'unreachable'; readonly retry: () => void; readonly error: string }
  | {
      readonly kind: 'signed-in'
      readonly me: Me
      readonly client: ApiClient
      readonly storage: BrowserStorage
    }

/** A sign-in link opened by a person who is already signed in. */
export interface OpenedLink {
  readonly here: Me
  /** The account that the link signs in to, or why it is unknown. */
  readonly there: Me | string
  readonly become: () => void
  readonly stay: () => void
}

export interface SignInControls {
  readonly signIn: SignIn
  readonly link: OpenedLink | undefined
  readonly enter: (token: string) => void
  readonly leave: () => Promise<void>
}

/** Shares the signed-in person with other tabs. The credential is in a cookie that scripts cannot read. */
const SIGNED_IN = 'signed-in'

/** Signs in by the sign-in link, otherwise by the cookie of the last visit. */
export function useSignIn(storage: BrowserStorage, linkToken: string | undefined): SignInControls {
  const [signIn, setSignIn] = useState<SignIn>({ kind: 'checking' })
  const [link, setLink] = useState<OpenedLink>()

  const refuse = useCallback(
    (error?: string) => {
      storage.write(SIGNED_IN, undefined)
      setLink(undefined)
      setSignIn({ kind: 'signed-out', ...(error !== undefined && { error }) })
    },
    [storage],
  )

  /** Keeps the state of a person who is already signed in: a call may be running. */
  const welcome = useCallback(
    (me: Me, client: ApiClient) => {
      storage.write(SIGNED_IN, me.personId)
      setSignIn((now) =>
        now.kind === 'signed-in' && now.me.personId === me.personId
          ? now
          : { kind: 'signed-in', me, client, storage: createPersonStorage(storage, me.personId) },
      )
    },
    [storage],
  )

  const check = useCallback(
    (token?: string) => {
      setSignIn({ kind: 'checking' })
      setLink(undefined)
      const client = createWatchedClient(() => refuse(SIGNED_OUT_MESSAGE))
      const ask = async () => {
        try {
          welcome(await (token === undefined ? client.me() : client.signIn(token)), client)
        } catch (failure) {
          const error = getErrorMessage(failure)
          if (!isTokenRefused(failure)) setSignIn({ kind: 'unreachable', retry: () => check(token), error })
          else if (token !== undefined) refuse(error)
          else refuse(storage.read(SIGNED_IN) === undefined ? undefined : SIGNED_OUT_MESSAGE)
        }
      }
      void ask()
    },
    [storage, refuse, welcome],
  )

  /** A sign-in link must not switch accounts without consent. */
  const open = useCallback(
    (token: string) => {
      const client = createWatchedClient(() => refuse(SIGNED_OUT_MESSAGE))
      const ask = async () => {
        const here = await client.me()
        const there = await createApiClient({ baseUrl: '', token }).me().catch(getErrorMessage)
        const stay = () => {
          setLink(undefined)
          welcome(here, client)
        }
        if (typeof there === 'string') setLink({ here, there, become: () => open(token), stay })
        else if (there.personId !== here.personId) setLink({ here, there, become: () => check(token), stay })
        else welcome(await client.signIn(token), client)
      }
      if (storage.read(SIGNED_IN) === undefined) return check(token)
      setLink(undefined)
      setSignIn((now) => (now.kind === 'signed-in' ? now : { kind: 'checking' }))
      ask().catch((failure: unknown) => {
        if (isTokenRefused(failure)) check(token)
        else setSignIn({ kind: 'unreachable', retry: () => open(token), error: getErrorMessage(failure) })
      })
    },
    [storage, refuse, welcome, check],
  )

  /** Throws when the server is unreachable: the cookie is then still valid and the person stays signed in. */
  const leave = useCallback(async () => {
    await createApiClient({ baseUrl: '' }).signOut()
    const personId = storage.read(SIGNED_IN)
    storage.write(SIGNED_IN, undefined)
    // Drafts must not be visible to the next person.
    if (personId !== undefined) createPersonStorage(storage, personId).forget('')
    setSignIn({ kind: 'signed-out' })
  }, [storage])

  useEffect(() => (linkToken === undefined ? check() : open(linkToken)), [linkToken, check, open])

  useEffect(() => followOtherTabs(check, open), [check, open])

  return { signIn, link, enter: check, leave }
}

const SIGNED_OUT_MESSAGE =
  'You are signed out, or your token expired. Sign in to continue; your drafts are kept.'

function createWatchedClient(onUnauthenticated: () => void): ApiClient {
  let checked = false
  return createApiClient({
    baseUrl: '',
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      if (response.status === 401 && checked) onUnauthenticated()
      checked ||= response.ok
      return response
    },
  })
}

const isTokenRefused = (failure: unknown) =>
  failure instanceof PlatformError && (failure.code === 'unauthenticated' || failure.code === 'forbidden')

/** Reacts to a sign-in link opened in this tab, and to sign-ins and sign-outs in other tabs. */
function followOtherTabs(check: () => void, open: (token: string) => void): () => void {
  const onLink = (event: Event) => {
    if (!isSignInLink(window.location.hash)) return
    event.stopImmediatePropagation()
    const token = takeLinkToken(window)
    if (token) open(token)
  }
  const onStorage = ({ key, newValue, oldValue }: StorageEvent) => {
    if (key === `parley.${SIGNED_IN}` && newValue !== oldValue) check()
  }
  window.addEventListener('popstate', onLink, { capture: true })
  window.addEventListener('storage', onStorage)
  return () => {
    window.removeEventListener('popstate', onLink, { capture: true })
    window.removeEventListener('storage', onStorage)
  }
}

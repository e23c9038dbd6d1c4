import { type ApiClient, createApiClient } from '@parley/api-client'
import { type Me, PlatformError } from '@parley/contracts'
import { useCallback, useEffect, useState } from 'react'
import { type BrowserStorage, createPersonStorage } from '../app/browser-storage.ts'
import { getErrorMessage } from '../ui/error-message.ts'
import { isSignInLink, takeLinkToken } from './link-token.ts'

export type SignInState =
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
  readonly currentAccount: Me
  /** The account that the link signs in to, or why it is unknown. */
  readonly linkAccount: Me | string
  readonly switchAccount: () => void
  readonly keepAccount: () => void
}

export interface SignInControls {
  readonly state: SignInState
  readonly link: OpenedLink | undefined
  readonly signIn: (token: string) => void
  readonly signOut: () => Promise<void>
}

/** Shares the signed-in person with other tabs. The credential is in a cookie that scripts cannot read. */
const SIGNED_IN = 'signed-in'

/** Signs in by the sign-in link, otherwise by the cookie of the last visit. */
export function useSignIn(storage: BrowserStorage, linkToken: string | undefined): SignInControls {
  const [state, setState] = useState<SignInState>({ kind: 'checking' })
  const [link, setLink] = useState<OpenedLink>()

  const showSignedOut = useCallback(
    (error?: string) => {
      storage.write(SIGNED_IN, undefined)
      setLink(undefined)
      setState({ kind: 'signed-out', ...(error !== undefined && { error }) })
    },
    [storage],
  )

  /** Keeps the state of a person who is already signed in: a call may be running. */
  const showSignedIn = useCallback(
    (me: Me, client: ApiClient) => {
      storage.write(SIGNED_IN, me.personId)
      setState((now) =>
        now.kind === 'signed-in' && now.me.personId === me.personId
          ? now
          : { kind: 'signed-in', me, client, storage: createPersonStorage(storage, me.personId) },
      )
    },
    [storage],
  )

  const signIn = useCallback(
    (token?: string) => {
      setState({ kind: 'checking' })
      setLink(undefined)
      const client = createWatchedClient(() => showSignedOut(SIGNED_OUT_MESSAGE))
      const request = async () => {
        try {
          showSignedIn(await (token === undefined ? client.me() : client.signIn(token)), client)
        } catch (failure) {
          const error = getErrorMessage(failure)
          if (!isTokenRefused(failure)) setState({ kind: 'unreachable', retry: () => signIn(token), error })
          else if (token !== undefined) showSignedOut(error)
          else showSignedOut(storage.read(SIGNED_IN) === undefined ? undefined : SIGNED_OUT_MESSAGE)
        }
      }
      void request()
    },
    [storage, showSignedOut, showSignedIn],
  )

  /** A sign-in link must not switch accounts without consent. */
  const openLink = useCallback(
    (token: string) => {
      const client = createWatchedClient(() => showSignedOut(SIGNED_OUT_MESSAGE))
      const request = async () => {
        const currentAccount = await client.me()
        const linkAccount = await createApiClient({ baseUrl: '', token }).me().catch(getErrorMessage)
        const keepAccount = () => {
          setLink(undefined)
          showSignedIn(currentAccount, client)
        }
        if (typeof linkAccount === 'string')
          setLink({ currentAccount, linkAccount, switchAccount: () => openLink(token), keepAccount })
        else if (linkAccount.personId !== currentAccount.personId)
          setLink({ currentAccount, linkAccount, switchAccount: () => signIn(token), keepAccount })
        else showSignedIn(await client.signIn(token), client)
      }
      if (storage.read(SIGNED_IN) === undefined) return signIn(token)
      setLink(undefined)
      setState((now) => (now.kind === 'signed-in' ? now : { kind: 'checking' }))
      request().catch((failure: unknown) => {
        if (isTokenRefused(failure)) signIn(token)
        else setState({ kind: 'unreachable', retry: () => openLink(token), error: getErrorMessage(failure) })
      })
    },
    [storage, showSignedOut, showSignedIn, signIn],
  )

  /** Throws when the server is unreachable: the cookie is then still valid and the person stays signed in. */
  const signOut = useCallback(async () => {
    await createApiClient({ baseUrl: '' }).signOut()
    const personId = storage.read(SIGNED_IN)
    storage.write(SIGNED_IN, undefined)
    // Drafts must not be visible to the next person.
    if (personId !== undefined) createPersonStorage(storage, personId).forget('')
    setState({ kind: 'signed-out' })
  }, [storage])

  useEffect(() => (linkToken === undefined ? signIn() : openLink(linkToken)), [linkToken, signIn, openLink])

  useEffect(() => followOtherTabs(signIn, openLink), [signIn, openLink])

  return { state, link, signIn, signOut }
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
function followOtherTabs(signIn: () => void, openLink: (token: string) => void): () => void {
  const onLink = (event: Event) => {
    if (!isSignInLink(window.location.hash)) return
    event.stopImmediatePropagation()
    const token = takeLinkToken(window)
    if (token) openLink(token)
  }
  const onStorage = ({ key, newValue, oldValue }: StorageEvent) => {
    if (key === `parley.${SIGNED_IN}` && newValue !== oldValue) signIn()
  }
  window.addEventListener('popstate', onLink, { capture: true })
  window.addEventListener('storage', onStorage)
  return () => {
    window.removeEventListener('popstate', onLink, { capture: true })
    window.removeEventListener('storage', onStorage)
  }
}

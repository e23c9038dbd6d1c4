/** Takes the token out of a sign-in link (`/#token=…`), and the link out of the address bar and the history. */
export function takeLinkToken({
  location,
  history,
}: Pick<Window, 'location' | 'history'>): string | undefined {
  if (!isSignInLink(location.hash)) return undefined
  const token = new URLSearchParams(location.hash.slice(1)).get('token')?.trim()
  history.replaceState(null, '', `${location.pathname}${location.search}`)
  return token
}

export const isSignInLink = (hash: string): boolean => hash.startsWith('#token=')

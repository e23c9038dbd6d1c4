import { Problem } from '@parley/contracts'

export const OWNER_TOKEN = 'made-up-token-of-the-owner'

/** Calls the API as the owner. The path starts after `/v1`. */
export const callAsOwner = (apiUrl: string, method: string, path: string, body?: unknown) =>
  requestApi({ url: apiUrl, token: OWNER_TOKEN }, method, path, body)

interface ApiAccess {
  readonly url: string
  readonly token: string
}

/** Calls the API. Returns refusals too. */
export async function requestApi({ url, token }: ApiAccess, method: string, path: string, body?: unknown) {
  const response = await fetch(`${url}/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const answer: unknown = text === '' ? undefined : JSON.parse(text)
  return { status: response.status, answer, problem: Problem.safeParse(answer).data }
}

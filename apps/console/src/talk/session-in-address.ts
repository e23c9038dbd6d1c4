import { SessionId } from '@parley/contracts'

/** The session that an address names, if it names one. */
export function sessionInAddress(search: Readonly<Record<string, unknown>>): {
  readonly session?: SessionId
} {
  const { data } = SessionId.safeParse(search['session'])
  return data ? { session: data } : {}
}

import { SharedReflection, StartedSession, VoiceSessionResponse } from '@parley/contracts'
import { type Api, ask } from './request.ts'

/** What anybody may do who has a link. Within a page, a cookie of the session's own says who they are from then on. */
export interface VisitsClient {
  /** Whom the link lets one talk with. */
  look(linkToken: string): Promise<SharedReflection>
  /** A typed session. */
  start(linkToken: string): Promise<StartedSession>
  /** A spoken one, over a socket. */
  speak(linkToken: string): Promise<VoiceSessionResponse>
}

/** The token of the session is for who has no cookie. */
const Spoken = VoiceSessionResponse.strip()

export function createVisitsClient(api: Api): VisitsClient {
  return {
    look: (linkToken) => ask(api, SharedReflection, 'GET', at(linkToken)),
    start: (linkToken) => ask(api, StartedSession, 'POST', visit(linkToken), { body: { channel: 'text' } }),
    speak: (linkToken) => ask(api, Spoken, 'POST', visit(linkToken), { body: { channel: 'voice' } }),
  }
}

const at = (linkToken: string) => `/v1/r/${encodeURIComponent(linkToken)}`
const visit = (linkToken: string) => `${at(linkToken)}/sessions`

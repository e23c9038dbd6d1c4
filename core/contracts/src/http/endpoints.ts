import { FACTS, SOURCES } from './knowledge-endpoints.ts'
import { PROVIDER } from './provider-endpoints.ts'
import { MEMBERS, REFLECTIONS, RUNTIME } from './reflection-endpoints.ts'
import { ACCOUNT, OPERATIONS, SERVER } from './server-endpoints.ts'
import { SESSIONS, VISITS } from './session-endpoints.ts'

/** The HTTP API. Routes, access checks and the OpenAPI document are made from this table; there are no other routes. */
export const ENDPOINTS = {
  ...OPERATIONS,
  ...ACCOUNT,
  ...SERVER,
  ...SESSIONS,
  ...VISITS,
  ...REFLECTIONS,
  ...MEMBERS,
  ...RUNTIME,
  ...SOURCES,
  ...FACTS,
  ...PROVIDER,
}

export type EndpointName = keyof typeof ENDPOINTS

/** What each tag of the OpenAPI document holds, in its order. */
export const TAGS: Readonly<Record<(typeof ENDPOINTS)[EndpointName]['tag'], string>> = {
  sessions: 'Start, read, resume, export and end sessions',
  visits: 'Talk with a reflection through a share link',
  reflections: 'Reflections and their published namespaces',
  members: 'Members, invitations and share links of a reflection',
  sources: 'The documents of a reflection',
  facts: 'Facts, their patches and corrections',
  runtime: 'Versions of a reflection’s agent, and its copies at the voice provider',
  account: 'The signed-in person',
  server: 'Status, tokens, voices and audit of the server',
  operations: 'Probes, metrics and this document',
  provider: 'Calls from the voice provider: tools and webhooks',
}

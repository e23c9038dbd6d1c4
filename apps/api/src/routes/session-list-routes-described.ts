import { createRoute } from '@hono/zod-openapi'
import {
  ListSessions,
  ReadEvents,
  SessionPage,
  SessionRef,
  TurnPage,
  WaitingApprovals,
} from '@parley/contracts'
import { json, problems } from './describe.ts'

export const LIST = createRoute({
  method: 'get',
  path: '/v1/sessions',
  summary: 'Sessions, latest first',
  description:
    'Your own; with `whose=all` an admin, of the server or of a reflection, finds all that they may read. All that is named has to hold. With `status=failed`: those with a reflection that did not start, each with the code of why.',
  request: { query: ListSessions },
  responses: { 200: json(SessionPage, 'A page of sessions'), ...problems },
})

export const APPROVALS = createRoute({
  method: 'get',
  path: '/v1/approvals',
  summary: 'The calls that wait for a person, of sessions that you may decide in',
  description:
    'Those that were asked first come first, a hundred at most; `more` says that there are others behind them.',
  responses: { 200: json(WaitingApprovals, 'What waits'), ...problems },
})

export const TURNS = createRoute({
  method: 'get',
  path: '/v1/sessions/{sessionId}/turns',
  summary: 'What is known of a session’s turns besides their messages',
  description:
    'Times, tokens, costs and what was decided of calls, whole turns at a time. `after` is the number of an event.',
  request: { params: SessionRef, query: ReadEvents },
  responses: { 200: json(TurnPage, 'A page of turns'), ...problems },
})

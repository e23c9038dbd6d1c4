import type { CallId, EndpointInput, EndpointOutput, EndpointRoute, SessionId } from '@parley/contracts'
import { expect, expectTypeOf, test } from 'vitest'
import { callEndpoint } from './call-endpoint.ts'

type SendMessage = 'POST /v1/sessions/{sessionId}/messages'

test('a call has the types of its endpoint’s row: another path, parameter, field or response does not compile', () => {
  expectTypeOf<SendMessage>().toExtend<EndpointRoute>()
  expectTypeOf<'POST /v1/sessions/{sessionId}/message'>().not.toExtend<EndpointRoute>()
  expectTypeOf<'PUT /v1/sessions/{sessionId}/messages'>().not.toExtend<EndpointRoute>()

  expectTypeOf<{ sessionId: SessionId; text: string }>().toExtend<EndpointInput<SendMessage>>()
  expectTypeOf<{ sessionId: CallId; text: string }>().not.toExtend<EndpointInput<SendMessage>>()
  expectTypeOf<{ sessionId: SessionId; text: number }>().not.toExtend<EndpointInput<SendMessage>>()
  expectTypeOf<{ sessionId: SessionId }>().not.toExtend<EndpointInput<SendMessage>>()
  expectTypeOf<{ limit: string }>().not.toExtend<EndpointInput<'GET /v1/sessions'>>()

  expectTypeOf<keyof EndpointInput<SendMessage>>().toEqualTypeOf<
    'sessionId' | 'text' | 'media' | 'idempotencyKey'
  >()
  expectTypeOf<keyof EndpointInput<'POST /v1/sessions/{sessionId}/end'>>().toEqualTypeOf<'sessionId'>()
  expectTypeOf<EndpointOutput<SendMessage>>().toHaveProperty('turnId')
  expectTypeOf<EndpointOutput<'DELETE /v1/sign-in'>>().toBeNever()
})

test('fills the path, and sends the other fields as query or body', async () => {
  const requests: string[] = []
  const api = {
    baseUrl: 'http://parley.example',
    fetch: async (input: string | URL | Request, init?: RequestInit) => {
      const request = new Request(input, init)
      requests.push(`${request.method} ${request.url} ${await request.text()}`.trim())
      return new Response()
    },
  }
  const sessionId = 'ses_a/b' as SessionId
  await callEndpoint(api, 'GET /v1/sessions/{sessionId}/messages', { sessionId, after: 2 })
  await callEndpoint(api, 'POST /v1/sessions/{sessionId}/messages', { sessionId, text: 'Hello' })
  expect(requests).toEqual([
    'GET http://parley.example/v1/sessions/ses_a%2Fb/messages?after=2',
    'POST http://parley.example/v1/sessions/ses_a%2Fb/messages {"text":"Hello"}',
  ])
})

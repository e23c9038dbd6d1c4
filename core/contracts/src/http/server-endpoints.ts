import { z } from 'zod'
import { AuditPage, CreatedToken, CreateToken, Me, MySettings, SignIn, TokenPage } from '../account.ts'
import { Health, HealthRange, JobRetried, ProbeProvider, ProviderHealth } from '../health.ts'
import { PageQuery } from '../page.ts'
import { ProviderVoices } from '../reflection.ts'
import { requireStorable } from '../text.ts'
import { jsonBody, defineEndpoints, jsonResponse } from './endpoint.ts'

const ReadHealth = z.object({ range: HealthRange.default('24h') })
const JobRef = z.object({ jobId: z.uuid('the id of a job, as GET /v1/health lists it') })
const TokenRef = z.object({
  tokenId: z.string().regex(/^tok_[a-z0-9]{1,60}$/, 'a token id starts with tok_'),
})

export const OPERATIONS = defineEndpoints('operations', {
  getLiveness: {
    method: 'get',
    path: '/healthz',
    access: 'anyone',
    rateLimit: 'monitoring',
    summary: 'Check that the process runs',
    responses: {
      200: jsonResponse(z.object({ status: z.literal('ok'), instanceId: z.string() }), 'It runs'),
    },
  },
  getReadiness: {
    method: 'get',
    path: '/readyz',
    access: 'anyone',
    rateLimit: 'costly',
    summary: 'Check that the process can serve requests',
    responses: { 200: jsonResponse(z.object({ status: z.literal('ready') }), 'It can') },
  },
  getMetrics: {
    method: 'get',
    path: '/metrics',
    access: 'anyone',
    rateLimit: 'monitoring',
    summary: 'Get metrics in the Prometheus text format',
    responses: { 200: { description: 'The metrics', content: { 'text/plain': { schema: z.string() } } } },
  },
  getOpenApi: {
    method: 'get',
    path: '/v1/openapi.json',
    access: 'anyone',
    rateLimit: 'costly',
    summary: 'Get this OpenAPI document',
    responses: { 200: jsonResponse(z.object({ openapi: z.string() }), 'The document') },
  },
})

export const ACCOUNT = defineEndpoints('account', {
  signIn: {
    method: 'post',
    path: '/v1/sign-in',
    access: 'anyone',
    rateLimit: 'signIn',
    summary: 'Sign a browser in',
    description:
      'Sets a cookie that scripts cannot read. It replaces the token in requests of the console, for up to 30 days and no longer than the token is valid.',
    request: { body: jsonBody(SignIn) },
    responses: { 200: jsonResponse(Me, 'The signed-in person') },
  },
  signOut: {
    method: 'delete',
    path: '/v1/sign-in',
    access: 'anyone',
    rateLimit: 'signIn',
    summary: 'Sign this browser out',
    responses: { 204: { description: 'Signed out' } },
  },
  getMe: {
    method: 'get',
    path: '/v1/me',
    access: 'guest',
    summary: 'Get the person behind the token',
    responses: { 200: jsonResponse(Me, 'The person and their role') },
  },
  getMySettings: {
    method: 'get',
    path: '/v1/me/settings',
    access: 'viewer',
    summary: 'Get your console settings',
    responses: { 200: jsonResponse(MySettings, 'Your settings') },
  },
  setMySettings: {
    method: 'put',
    path: '/v1/me/settings',
    access: 'viewer',
    summary: 'Change your console settings',
    request: { body: jsonBody(MySettings) },
    responses: { 200: jsonResponse(MySettings, 'Your settings') },
  },
})

export const SERVER = defineEndpoints('server', {
  getHealth: {
    method: 'get',
    path: '/v1/health',
    access: 'admin',
    summary: 'Get the status of the server: providers, processes, jobs, errors, times and cost',
    description:
      'Counted across all processes on the database, for eight days. It names only sessions and reflections that you may see, and contains no message text.',
    request: { query: ReadHealth },
    responses: { 200: jsonResponse(Health, 'The status') },
  },
  probeProvider: {
    method: 'post',
    path: '/v1/health/probe',
    access: 'admin',
    summary: 'Check whether a provider answers, with a call that costs nothing',
    request: { body: jsonBody(ProbeProvider) },
    responses: { 200: jsonResponse(ProviderHealth, 'The status of the provider') },
  },
  retryJob: {
    method: 'post',
    path: '/v1/health/jobs/{jobId}/retry',
    access: 'admin',
    summary: 'Queue a failed job again, once',
    request: { params: JobRef },
    responses: { 202: jsonResponse(JobRetried, 'The job is queued') },
  },
  listVoices: {
    method: 'get',
    path: '/v1/voices',
    access: 'any-admin',
    summary: 'List the voices of the voice provider',
    description: 'Empty if this server has no voice provider.',
    responses: { 200: jsonResponse(ProviderVoices, 'The voices') },
  },
  listAuditEntries: {
    method: 'get',
    path: '/v1/audit',
    access: 'owner',
    summary: 'List the actions on this server, latest first',
    description: 'Actions on sessions, tokens and reflections, including removed ones.',
    request: { query: PageQuery },
    responses: { 200: jsonResponse(AuditPage, 'A page of actions') },
  },
  listTokens: {
    method: 'get',
    path: '/v1/tokens',
    access: 'any-admin',
    summary: 'List active tokens of your rank and below, latest first',
    description:
      'The tokens themselves are never returned. Tokens of a reflection are listed for its admins, up to their own rank, and for the owner of the server.',
    request: { query: PageQuery },
    responses: { 200: jsonResponse(TokenPage, 'A page of tokens') },
  },
  createToken: {
    method: 'post',
    path: '/v1/tokens',
    access: 'any-admin',
    idempotent: true,
    summary: 'Create a token for a new person, with at most your own role',
    description:
      'It expires after 90 days unless `expiresAt` names another time within a year. With `reflectionId` the token is for that reflection: its admins create it, with at most their own role there, and its person is a viewer of the server.',
    request: { body: jsonBody(requireStorable(CreateToken), { label: 'Grace', role: 'viewer' }) },
    responses: {
      201: jsonResponse(CreatedToken, 'The token, shown only once', {
        id: 'tok_4k2m9q7w1x8z5c3v6b0n',
        tokenId: 'tok_4k2m9q7w1x8z5c3v6b0n',
        token: 'prl_made-up',
        personId: 'per_4k2m9q7w1x8z5c3v6b0n',
        label: 'Grace',
        role: 'viewer',
        expiresAt: '2026-04-01T00:00:00.000Z',
      }),
    },
  },
  revokeToken: {
    method: 'delete',
    path: '/v1/tokens/{tokenId}',
    access: 'any-admin',
    summary: 'Revoke a token of your rank or below',
    description: 'It stops working with the next request.',
    request: { params: TokenRef },
    responses: { 204: { description: 'Revoked' } },
  },
})

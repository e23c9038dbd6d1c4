import type { Context } from 'hono'
import { expect, test } from 'vitest'
import type { ApiEnv } from '../api-env.ts'
import { type CredentialRequest, decideCredential, isOurPage, refuseForeignPages } from './read-credential.ts'

const HOST = '127.0.0.1:4400'
const OURS = { host: HOST, fetchSite: 'same-origin' }
const signIn = 'sgn_made-up-signed-in'
const visit = 'vis_made-up-visitor'

test.each<[string, CredentialRequest, string | undefined]>([
  ['nobody', { method: 'GET', ...OURS }, undefined],
  [
    'a header goes before all cookies',
    { method: 'POST', authorization: 'Bearer a', signIn, visit },
    'Bearer a',
  ],
  ['somebody who signed in', { method: 'POST', ...OURS, signIn }, `Bearer ${signIn}`],
  ['a visitor', { method: 'POST', ...OURS, visit }, `Bearer ${visit}`],
  ['who is both, in the console', { method: 'POST', ...OURS, signIn, visit }, `Bearer ${signIn}`],
  [
    'who is both, on a visitor’s page',
    { method: 'POST', ...OURS, signIn, visit, as: 'visitor' },
    `Bearer ${visit}`,
  ],
  [
    'a visitor’s page never uses the sign-in cookie',
    { method: 'GET', ...OURS, signIn, as: 'visitor' },
    undefined,
  ],
  ['an address typed by hand', { method: 'GET', host: HOST, fetchSite: 'none', signIn }, `Bearer ${signIn}`],
  [
    'a browser that only names the origin',
    { method: 'POST', host: HOST, origin: `http://${HOST}`, signIn },
    `Bearer ${signIn}`,
  ],
  ['a program that only reads', { method: 'GET', host: HOST, signIn }, `Bearer ${signIn}`],
  ['a program that asks whether it is there', { method: 'HEAD', host: HOST, signIn }, `Bearer ${signIn}`],
])('[A1] %s', (_, asked, expected) => {
  expect(decideCredential(asked)).toBe(expected)
})

test.each<[string, Partial<CredentialRequest>]>([
  ['another site', { fetchSite: 'cross-site', origin: 'https://evil.example' }],
  ['another port of this machine', { fetchSite: 'same-site', origin: 'http://127.0.0.1:9999' }],
  ['another port, in a browser that only names the origin', { origin: 'http://127.0.0.1:9999' }],
  ['a page without an origin', { origin: 'null' }],
  ['nobody knows where', {}],
  ['an address typed by hand', { fetchSite: 'none' }],
])('[A1] a cookie is ignored if the request comes from %s', (_, from) => {
  expect(() => decideCredential({ method: 'POST', host: HOST, signIn, ...from })).toThrow(
    'a page of another site',
  )
})

test('[A1] another site cannot read with a cookie', () => {
  const asked = { method: 'GET', host: HOST, signIn, fetchSite: 'cross-site' }
  expect(() => decideCredential(asked)).toThrow('a page of another site')
})

const requestWith = (headers: Readonly<Record<string, string>>) =>
  ({
    req: { method: 'POST', header: (name: string) => ({ host: HOST, ...headers })[name] },
  }) as unknown as Context<ApiEnv>

test.each<[string, Readonly<Record<string, string>>, boolean]>([
  ['a program', {}, true],
  ['our own page', { 'sec-fetch-site': 'same-origin', origin: `http://${HOST}` }, true],
  ['our own page, in a browser that only names the origin', { origin: `http://${HOST}` }, true],
  ['our own page, in a browser that names no origin', { 'sec-fetch-site': 'same-origin' }, true],
  ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, false],
  ['another site, in a browser that only names the origin', { origin: 'https://evil.example' }, false],
  ['another site, in a browser that names no origin', { 'sec-fetch-site': 'cross-site' }, false],
])('[A1] whether %s may sign somebody in', (_, headers, isAllowed) => {
  const refusalOf = () => {
    try {
      return refuseForeignPages(requestWith(headers))
    } catch (failure) {
      return (failure as { readonly code: unknown }).code
    }
  }
  expect(refusalOf()).toBe(isAllowed ? undefined : 'forbidden')
})

test('[A1] only a script of our own page gets a cookie', () => {
  expect(isOurPage(requestWith({ 'sec-fetch-site': 'same-origin' }))).toBe(true)
  expect(isOurPage(requestWith({ 'sec-fetch-site': 'none' }))).toBe(false)
  expect(isOurPage(requestWith({}))).toBe(false)
})

import { createHash } from 'node:crypto'
import type { Reflection, SharedReflection, SessionEvent } from '@parley/contracts'
import { expect, test } from 'vitest'
import type { PromotedArtifacts } from '../ports/artifact-store.ts'
import { hashNamespaces } from '../artifacts/content-hash.ts'
import { type SharedContent, describeLink, toVisitorEvents } from './visitor-view.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const reflection = {
  id: 'rfl_ada',
  displayName: 'Ada',
  creatorName: 'Made-Up Creator',
  approval: 'by_rule',
  publishRevision: 1,
  knowledgeRevision: 0,
  namespaces: [
    { name: 'essays', isPublished: true },
    { name: 'talks', isPublished: true },
    { name: 'diary', isPublished: false },
  ],
  shareIngestion: false,
  createdAt: '2026-01-01T00:00:00.000Z',
} as unknown as Reflection

const builtFrom = (...names: readonly string[]) =>
  ({
    generation: 1,
    artifacts: { reflection_voice_dossier: { public: { scopeHash: hashNamespaces(names, sha256) } } },
  }) as unknown as PromotedArtifacts

const usual: SharedContent = {
  link: {},
  reflection,
  promoted: builtFrom('essays', 'talks'),
  hasVoiceProvider: true,
}
const stock = { voiceId: 'made-up', kind: 'stock', consent: false } as const
const clone = { voiceId: 'made-up', kind: 'clone', consent: false } as const

test.each<[string, Partial<SharedContent>, Partial<SharedReflection>]>([
  ['built from the published namespaces', {}, { isReady: true }],
  ['reaching some published namespaces', { link: { namespaces: ['talks', 'diary'] } }, { isReady: true }],
  [
    'reaching no published namespace',
    { link: { namespaces: ['diary'] } },
    { isReady: false, isPublic: false },
  ],
  ['built from another scope', { promoted: builtFrom('essays') }, { isReady: false }],
  ['not built', { promoted: undefined }, { isReady: false, isPublic: true }],
  ['that does not learn from visitors', {}, { isLearnedFrom: false }],
  [
    'that learns from visitors',
    { reflection: { ...reflection, shareIngestion: true } },
    { isLearnedFrom: true },
  ],
  ['without a voice', {}, { channels: ['text'] }],
  ['with a stock voice', { reflection: { ...reflection, voice: stock } }, { channels: ['text', 'voice'] }],
  ['with a clone without consent', { reflection: { ...reflection, voice: clone } }, { channels: ['text'] }],
  [
    'with a voice that the provider does not list',
    { reflection: { ...reflection, voice: { ...stock, isUnlisted: true } } },
    { channels: ['text'] },
  ],
  [
    'with a clone with consent',
    { reflection: { ...reflection, voice: { ...clone, consent: true } } },
    { channels: ['text', 'voice'] },
  ],
  [
    'on a server without a voice provider',
    { reflection: { ...reflection, voice: stock }, hasVoiceProvider: false },
    { channels: ['text'] },
  ],
])('[V17] %s', (_, given, expected) => {
  expect(describeLink({ ...usual, ...given }, sha256)).toMatchObject(expected)
})

test('[V17] a visitor sees only the name, the channels and whether the reflection learns from them', () => {
  expect(Object.keys(describeLink(usual, sha256)).toSorted()).toEqual([
    'channels',
    'displayName',
    'isLearnedFrom',
    'isPublic',
    'isReady',
  ])
})

const ended = (code: 'provider_auth' | 'budget_exceeded', message: string) =>
  ({
    type: 'session:turn_completed',
    turnId: 'trn_1',
    stopReason: 'error',
    error: { code, message, retryable: false },
    usage: { inputTokens: 0, outputTokens: 0 },
    sequenceNumber: 3,
  }) as unknown as SessionEvent

async function* streamEvents(...events: readonly SessionEvent[]): AsyncGenerator<SessionEvent> {
  yield* events
}

test('[V17] a visitor sees that a provider failed, but neither its host nor its settings', async () => {
  const failure = ended('provider_auth', 'api.example.com refused the key: check EXAMPLE_API_KEY.')
  const budget = ended('budget_exceeded', 'This session may cost no more.')
  const shown: SessionEvent[] = []
  for await (const event of toVisitorEvents(streamEvents(failure, budget))) shown.push(event)
  expect(shown).toMatchObject([
    { type: 'session:turn_completed', error: { code: 'provider_auth' } },
    { error: { message: 'This session may cost no more.' } },
  ])
  expect(JSON.stringify(shown)).not.toMatch(/example/i)
})

import type { SyncState } from '@parley/contracts'
import { describe, expect, test } from 'vitest'
import {
  decidePrivateFreshness,
  decidePublicFreshness,
  type Freshness,
  type FreshnessInput,
} from './decide-freshness.ts'

const hash = (digit: string) => digit.repeat(64)
const synced: SyncState = {
  agentId: 'agent_1',
  packKind: 'public_standard',
  packContentHash: hash('a'),
  dossierHash: hash('b'),
  publishedScopeHash: hash('c'),
  syncedAt: '2026-01-01T00:00:00.000Z',
}
const promoted = {
  packKind: 'public_standard',
  packContentHash: hash('a'),
  dossierHash: hash('b'),
  builtFromScopeHash: hash('c'),
} as const
const usual: FreshnessInput = {
  synced,
  promoted,
  publishedScopeHash: hash('c'),
  isAnythingPublished: true,
  agentId: 'agent_1',
  isSetUpAlike: true,
}
const stale = (...differs: string[]): Freshness => ({ kind: 'stale', differs })

describe('freshness', () => {
  test.each<[string, Partial<FreshnessInput>, Freshness]>([
    ['a synced agent without changes', {}, { kind: 'fresh' }],
    [
      'the time of the sync does not matter',
      { synced: { ...synced, syncedAt: '2020-01-01T00:00:00.000Z' } },
      { kind: 'fresh' },
    ],
    [
      'nothing published',
      { isAnythingPublished: false },
      { kind: 'not-ready', missing: 'nothing is published' },
    ],
    [
      'nothing promoted',
      { promoted: undefined },
      { kind: 'not-ready', missing: 'no artifacts are promoted' },
    ],
    [
      'never synced',
      { synced: undefined, agentId: undefined },
      { kind: 'not-ready', missing: 'the agent was never synced' },
    ],
    [
      'never synced, and built from another scope',
      { synced: undefined, agentId: undefined, publishedScopeHash: hash('d') },
      { kind: 'not-ready', missing: 'the published namespaces are not built yet' },
    ],
    [
      'marked stale, and built from another scope',
      { synced: undefined, publishedScopeHash: hash('d') },
      stale('everything, since the agent was marked stale', 'the scope that the artifacts were built from'),
    ],
    ['marked stale', { synced: undefined }, stale('everything, since the agent was marked stale')],
    ['another voice', { isSetUpAlike: false }, stale('the voice or the tools')],
    ['another agent', { agentId: 'agent_2' }, stale('the agent')],
    [
      'another kind of pack',
      { promoted: { ...promoted, packKind: 'public_emerging' } },
      stale('the kind of the pack'),
    ],
    ['another pack', { promoted: { ...promoted, packContentHash: hash('d') } }, stale('the pack')],
    ['another dossier', { promoted: { ...promoted, dossierHash: hash('d') } }, stale('the dossier')],
    [
      'namespaces published after the sync',
      { publishedScopeHash: hash('d') },
      stale('the published namespaces', 'the scope that the artifacts were built from'),
    ],
    [
      'built from another scope than the agent was synced for',
      { promoted: { ...promoted, builtFromScopeHash: hash('d') } },
      stale('the scope that the artifacts were built from'),
    ],
  ])('[P8] [V12] %s', (_, given, expected) => {
    expect(decidePublicFreshness({ ...usual, ...given })).toEqual(expected)
  })

  test.each<[string, Partial<FreshnessInput>, Freshness]>([
    [
      'nothing promoted',
      { promoted: undefined },
      { kind: 'not-ready', missing: 'no artifacts are promoted' },
    ],
    [
      'never synced',
      { synced: undefined, agentId: undefined },
      { kind: 'not-ready', missing: 'the agent was never synced' },
    ],
    ['marked stale', { synced: undefined }, stale('everything, since the agent was marked stale')],
  ])('[P7] a private surface: %s', (_, given, expected) => {
    expect(decidePrivateFreshness({ ...usual, ...given })).toEqual(expected)
  })

  test('[P11] the published namespaces do not affect a private surface', () => {
    const question = { ...usual, publishedScopeHash: hash('d'), isAnythingPublished: false }
    expect(decidePrivateFreshness(question)).toEqual({ kind: 'fresh' })
    expect(decidePrivateFreshness({ ...question, agentId: undefined })).toEqual(stale('the agent'))
  })
})

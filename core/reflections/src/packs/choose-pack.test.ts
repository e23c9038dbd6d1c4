import { createHash } from 'node:crypto'
import { Audience, Surface } from '@parley/contracts'
import { expect, test } from 'vitest'
import { buildVoiceArtifacts } from '../artifacts/build-voice-artifacts.ts'
import { createEvidence } from '../testing/evidence.fixture.ts'
import { type PackInput, choosePack } from './choose-pack.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const promoted = buildVoiceArtifacts(
  {
    displayName: 'Ada Winter',
    creatorName: 'A. W.',
    evidence: [...createEvidence('essays', 20), ...createEvidence('diary', 20)],
    namespaces: ['essays', 'diary'],
    publishedNamespaces: ['essays'],
  },
  sha256,
)
const PUBLIC = {
  audience: 'public',
  surface: 'public',
  promoted,
  publishedNow: ['essays'],
  namespaces: ['essays', 'diary'],
} as const
const PRIVATE = { ...PUBLIC, audience: 'private', surface: 'standard' } as const

test.each<[string, PackInput, object]>([
  ['private', PRIVATE, { pack: { kind: 'private_standard' } }],
  ['a returning person', { ...PRIVATE, surface: 'memory' }, { pack: { kind: 'private_memory' } }],
  ['private, with any published namespaces', { ...PRIVATE, publishedNow: [] }, { kind: 'pack' }],
  ['nothing promoted', { ...PRIVATE, promoted: undefined }, { missing: 'no artifacts are promoted' }],
  ['public, built from the published namespaces', PUBLIC, { pack: { kind: 'public_standard' } }],
  ['public, nothing promoted', { ...PUBLIC, promoted: undefined }, { missing: 'no artifacts are promoted' }],
  ['public, nothing published', { ...PUBLIC, publishedNow: [] }, { missing: 'nothing is published' }],
  [
    'public, more published after the build',
    { ...PUBLIC, publishedNow: ['essays', 'diary'] },
    { kind: 'stale' },
  ],
  ['public, others published after the build', { ...PUBLIC, publishedNow: ['diary'] }, { kind: 'stale' }],
])('[P8] %s', (_, question, expected) => {
  expect(choosePack(question, sha256)).toMatchObject(expected)
})

const OF_THE_PUBLIC = Audience.options.flatMap((audience) =>
  Surface.options
    .filter((surface) => audience === 'public' || surface === 'public')
    .map((surface) => ({ audience, surface })),
)

test.each(OF_THE_PUBLIC)('[P12] the public never gets a private pack: $audience on $surface', (of) => {
  expect(choosePack({ ...PUBLIC, ...of }, sha256)).toMatchObject({ pack: { kind: 'public_standard' } })
})

test('[V17] [P4] a link to some namespaces narrows the prompt to these', () => {
  const both = buildVoiceArtifacts(
    {
      displayName: 'Ada Winter',
      evidence: [...createEvidence('essays', 20), ...createEvidence('diary', 20)],
      namespaces: ['essays', 'diary'],
      publishedNamespaces: ['essays', 'diary'],
    },
    sha256,
  )
  const publishedNow = ['essays', 'diary']
  const promptFor = (...namespaces: readonly string[]) => {
    const chosen = choosePack({ ...PUBLIC, promoted: both, publishedNow, namespaces }, sha256)
    return chosen.kind === 'pack' ? chosen.pack.prompt : ''
  }
  expect(promptFor('essays', 'diary')).toContain('is diary number')
  expect(promptFor('essays')).toContain('is essays number')
  expect(promptFor('essays')).not.toContain('is diary number')
})

import { PackKind, Surface, VoiceArtifacts } from '@parley/contracts'
import { expect, test } from 'vitest'
import { toDocuments } from './generation-documents.ts'

const hash = 'a'.repeat(64)
const dossier = {
  displayName: 'Ada',
  lines: [
    { section: 'work', text: 'Ada binds books.', factIds: ['fct_1'] },
    { section: 'who', text: 'Ada is a person.', factIds: ['fct_2'] },
  ],
  speakingStyle: '',
  narrative: 'Ada binds books in Oslo.',
  maturity: 'emerging',
  scopeHash: hash,
  contentHash: hash,
}
const pack = { prompt: 'Be Ada.', firstMessage: 'Hello.', placeholders: [], tools: ['retrieve-context'] }
const artifacts = VoiceArtifacts.parse({
  capsule: {
    displayName: 'Ada',
    about: ['Binds books.'],
    tastes: [],
    people: [],
    sources: 1,
    facts: 2,
    contentHash: hash,
  },
  token_estimate: 90,
  persona_narrative: '',
  explore_next: ['Where did you grow up?'],
  voice_evidence_pack: { items: [], contentHash: hash },
  reflection_voice_dossier: {
    private: { ...dossier, audience: 'private' },
    public: { ...dossier, lines: [], audience: 'public' },
  },
  prompt_packs: Object.fromEntries(
    PackKind.options.map((kind) => [kind, { ...pack, kind, dossierHash: hash, contentHash: hash }]),
  ),
  sync_metadata: Object.fromEntries(
    Surface.options.map((surface) => [
      surface,
      {
        packKind: 'private_emerging',
        packContentHash: hash,
        dossierHash: hash,
        publishedScopeHash: hash,
      },
    ]),
  ),
})

test('[P1] a version has a capsule, two dossiers, five packs and its evidence', () => {
  expect(toDocuments(artifacts).map(({ title }) => title)).toEqual([
    'Capsule',
    'Private dossier',
    'Public dossier',
    ...PackKind.options.map((kind) => `Pack ${kind}`),
    'Evidence',
  ])
})

test('empty parts are left out, and a dossier is split into sections', () => {
  const [capsule, privately] = toDocuments(artifacts)
  expect(capsule?.parts.map(({ heading }) => heading)).toEqual(['About', 'To explore next'])
  expect(privately?.parts.map(({ heading, lines }) => `${heading}: ${lines.join()}`)).toEqual([
    'Who: Ada is a person.',
    'Work: Ada binds books.',
    'Narrative: Ada binds books in Oslo.',
  ])
})

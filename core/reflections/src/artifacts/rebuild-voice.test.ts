import { createHash } from 'node:crypto'
import type { PrivateDossier, ReflectionId, VoiceArtifacts, WrittenSentence } from '@parley/contracts'
import { createAnswerScript, createScriptedModel } from '@parley/engine/testing'
import { expect, test } from 'vitest'
import { createModelNarrator } from '../dossier/model-narrator.ts'
import type { ArtifactStore } from '../ports/artifact-store.ts'
import { createEvidence } from '../testing/evidence.fixture.ts'
import { hashContent } from './content-hash.ts'
import { rebuildVoice } from './rebuild-voice.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const reflectionId = 'ref_1' as ReflectionId
const PRIVATE = 'zebrafinch'
const input = {
  displayName: 'Ada Winter',
  evidence: [...createEvidence('essays', 20), ...createEvidence('diary', 20, PRIVATE)],
  namespaces: ['essays', 'diary'],
  publishedNamespaces: ['essays'],
}

/** One place for what serves, in memory. */
function memoryStore() {
  const kept: VoiceArtifacts[] = []
  const refused: string[] = []
  const store: Omit<ArtifactStore, 'requestMissingBuilds'> = {
    begin: async () => ({ reflectionId, generation: kept.length + 1, input }),
    findPromoted: async () => kept.at(-1),
    confirm: async (_, artifacts) =>
      hashContent(kept.at(-1) ?? {}, sha256) === hashContent(artifacts, sha256),
    addCandidate: async (_, artifacts) => (kept.push(artifacts), structuredClone(artifacts)),
    finish: async (_, { reasons }) => (
      refused.push(...reasons),
      reasons.length > 0 ? 'rejected' : 'promoted'
    ),
  }
  return { store, kept, refused }
}

const first = ({ lines }: Pick<PrivateDossier, 'lines'>): readonly WrittenSentence[] =>
  lines.slice(0, 2).map(({ text, factIds }) => ({ text, factIds }))

test('[P1] a narrator’s text becomes the narrative, also in the packs, and is reused for the same lines', async () => {
  const { store, kept, refused } = memoryStore()
  const asked: string[] = []
  const narrate = async (dossier: PrivateDossier) => (asked.push(dossier.audience), first(dossier))
  expect(await rebuildVoice(reflectionId, store, sha256, narrate)).toBe('promoted')
  expect(await rebuildVoice(reflectionId, store, sha256, narrate)).toBe('unchanged')
  expect(asked).toEqual(['private'])
  expect(refused).toEqual([])
  const [{ reflection_voice_dossier: dossiers, prompt_packs, persona_narrative } = expect.fail()] = kept
  expect(dossiers.private.narrative).toBe(
    first(dossiers.private)
      .map(({ text }) => text)
      .join(' '),
  )
  expect(persona_narrative).toBe(dossiers.private.narrative)
  expect(dossiers.public).not.toHaveProperty('written')
  expect(prompt_packs.public_standard.prompt).not.toContain('In short')
  expect(prompt_packs.private_memory.prompt).toContain(`In short:\n${dossiers.private.narrative}`)
})

const madeUp = async ({
  lines: [line = expect.fail()],
}: PrivateDossier): Promise<readonly WrittenSentence[]> => [
  { text: `${line.text} And ${PRIVATE}.`, factIds: line.factIds },
  { text: 'Ada Winter is a queen.', factIds: line.factIds },
]

test('[P5] [P10] unsupported sentences of a narrator are dropped, and the rules write the narrative instead', async () => {
  const { store, kept, refused } = memoryStore()
  expect(await rebuildVoice(reflectionId, store, sha256, madeUp)).toBe('promoted')
  expect(refused).toEqual([])
  const dossiers = kept[0]?.reflection_voice_dossier
  expect(dossiers?.private.written).toBeUndefined()
  expect(dossiers?.private.narrative).toContain('essays')
  expect(dossiers?.private.narrative).not.toContain('queen')
  expect(JSON.stringify(dossiers?.public)).not.toMatch(/zebrafinch|queen/)
})

test('[P1] [K6] a model gets the lines of one audience as data; invalid parts of its answer are dropped', async () => {
  const model = createScriptedModel([
    createAnswerScript(
      'Of course!\n{"sentence": "Ada Winter is essays number 0 and essays number 6.", "lines": [1, 2]}\n{"sentence": 7}\n{"lines": "x"}',
    ),
  ])
  const lines = createEvidence('essays', 3).map(({ statement, factId }) => ({
    section: 'who' as const,
    text: statement,
    factIds: [factId],
  }))
  const narrator = createModelNarrator(model, sha256)
  const told = await narrator({ displayName: 'Ada Winter', lines }, new AbortController().signal)
  expect(told).toEqual([
    {
      text: 'Ada Winter is essays number 0 and essays number 6.',
      factIds: ['fct_essays0', 'fct_essays1'],
    },
  ])
  expect(JSON.stringify(model.asked)).toContain('1 (who): Ada Winter is essays number 0.')
})

import { PackKind, type VoiceArtifacts } from '@parley/contracts'
import { openLearning } from '@parley/postgres'
import { type ArtifactStore, rebuildVoice } from '@parley/reflections'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sha256 } from '../../apps/api/src/node-host.ts'
import { visitorApi } from '../../apps/api/src/reflections/visitor-api.fixture.ts'
import { addContentHash } from '../../core/reflections/src/artifacts/content-hash.ts'
import { addPolicy } from '../../core/reflections/src/packs/build-prompt-pack.ts'
import { createCanary } from './canary.ts'

const { word } = createCanary('a private fact')
const publicPacks = PackKind.options.filter((kind) => kind.startsWith('public_'))

describe('[P10] the approval step without the other guards', () => {
  let api: Awaited<ReturnType<typeof visitorApi>>
  let learning: ReturnType<typeof openLearning>
  beforeAll(async () => {
    api = await visitorApi()
    await api.learned(api.reflectionId, 'letters', `My boat is called ${word}.`)
    learning = openLearning({ databaseUrl: api.databaseUrl })
  })
  afterAll(async () => {
    await learning.close()
    await api[Symbol.asyncDispose]()
  })

  /** Submits artifacts of a faulty builder, with correct hashes. */
  const rebuildWith = (change: (artifacts: VoiceArtifacts) => void) => {
    const store: ArtifactStore = {
      ...learning.artifacts,
      confirm: async () => false,
      addCandidate(build, artifacts) {
        const draft = structuredClone(artifacts)
        change(draft)
        return learning.artifacts.addCandidate(build, resealArtifacts(draft))
      },
    }
    return rebuildVoice(api.reflectionId, store, sha256)
  }
  const findPromoted = async () => api.database.runtime.readPromoted(api.reflectionId)

  test('promotes correct artifacts, whose private parts contain the private fact', async () => {
    expect(await rebuildWith(() => {})).toBe('promoted')
    expect(JSON.stringify((await findPromoted())?.artifacts.reflection_voice_dossier.private)).toContain(word)
  })

  test.each<[string, RegExp, (draft: VoiceArtifacts) => void]>([
    [
      'in a line of the dossier',
      /^provenance: a line/,
      ({ reflection_voice_dossier }) =>
        void (reflection_voice_dossier.public.lines = reflection_voice_dossier.private.lines),
    ],
    [
      'added to a line',
      /^provenance: a line/,
      ({ reflection_voice_dossier }) =>
        reflection_voice_dossier.public.lines.forEach((line) => (line.text += ` ${word}`)),
    ],
    [
      'in the narrative',
      /^public: the narrative/,
      ({ reflection_voice_dossier }) =>
        void (reflection_voice_dossier.public.narrative = reflection_voice_dossier.private.narrative),
    ],
    [
      'in the style',
      /^public: the speakingStyle/,
      ({ reflection_voice_dossier }) => void (reflection_voice_dossier.public.speakingStyle = word),
    ],
    [
      'in the name',
      /^public: the displayName/,
      ({ reflection_voice_dossier }) => void (reflection_voice_dossier.public.displayName = word),
    ],
    [
      'in a prompt',
      /^public: public_standard/,
      ({ prompt_packs }) => publicPacks.forEach((kind) => (prompt_packs[kind].prompt += word)),
    ],
    [
      'in the prompt of a private agent',
      /^audience: public_standard/,
      ({ prompt_packs }) => void (prompt_packs.public_standard.prompt = prompt_packs.private_standard.prompt),
    ],
    [
      'in a greeting',
      /^public: public_emerging/,
      ({ prompt_packs }) => void (prompt_packs.public_emerging.firstMessage = word),
    ],
  ])('rejects a canary %s (%s)', async (_, reason, change) => {
    const before = await findPromoted()
    expect(await rebuildWith(change)).toBe('rejected')
    const { items } = await api.database.runtime.readLedger(api.reflectionId, { limit: 2 })
    expect(items.flatMap(({ reasons }) => reasons)).toContainEqual(expect.stringMatching(reason))
    expect((await findPromoted())?.generation).toBe(before?.generation)
  })
})

/** Recomputes the hashes and policy marks after a change. */
function resealArtifacts({
  reflection_voice_dossier,
  prompt_packs,
  ...rest
}: VoiceArtifacts): VoiceArtifacts {
  const sealedDossiers = {
    private: addContentHash(reflection_voice_dossier.private, sha256),
    public: addContentHash(reflection_voice_dossier.public, sha256),
  }
  const packs = PackKind.options.map((kind) => {
    const pack = prompt_packs[kind]
    const { contentHash: dossierHash } = sealedDossiers[publicPacks.includes(kind) ? 'public' : 'private']
    const prompt = addPolicy(pack.prompt.replace(/^[^]*?\n\[end of policy \w+\]\n\n/, ''), sha256)
    return [kind, addContentHash({ ...pack, prompt, dossierHash }, sha256)] as const
  })
  return {
    ...rest,
    reflection_voice_dossier: sealedDossiers,
    prompt_packs: Object.fromEntries(packs) as VoiceArtifacts['prompt_packs'],
  }
}

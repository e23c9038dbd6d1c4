import { setTimeout as pause } from 'node:timers/promises'
import { PackKind } from '@parley/contracts'
import { buildSessionDynamicExtras } from '@parley/reflections'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../apps/api/src/node-host.ts'
import { buildVoiceArtifacts } from '../../core/reflections/src/artifacts/build-voice-artifacts.ts'
import { createEvidence } from '../../core/reflections/src/testing/evidence.fixture.ts'
import {
  buildDynamicVariables,
  renderValue,
  textValue,
} from '../../core/reflections/src/variables/build-dynamic-variables.ts'
import { listExtras, EXTRA_VARIABLES } from '../../core/reflections/src/variables/variable-matrix.ts'
import { createCanary, findSightings } from './canary.ts'

const secret = createCanary('a private fact')
const { word } = secret
const containsCanary = (what: unknown, looked = secret) =>
  findSightings([{ where: '', text: JSON.stringify(what) }], [looked]).length > 0

/** Facts also use the creator's name and former name. */
const creator = createCanary('the name of the creator')
const former = createCanary('a former name of the creator')
const replaceNames = (evidence: ReturnType<typeof createEvidence>) =>
  evidence.map((item, index) => ({
    ...item,
    statement: item.statement.replace('Ada Winter', `Vesna ${(index % 2 === 0 ? creator : former).word}`),
  }))

const built = buildVoiceArtifacts(
  {
    displayName: 'Ada Winter',
    creatorName: `Vesna ${creator.word}`,
    formerNames: [`Vesna ${former.word}`],
    evidence: [...replaceNames(createEvidence('essays', 20)), ...createEvidence('diary', 20, word)],
    namespaces: ['essays', 'diary'],
    publishedNamespaces: ['essays'],
  },
  sha256,
)
const publicPacks = PackKind.options.filter((kind) => kind.startsWith('public_'))

test.each([secret, creator, former])('[P5] the builder: only the private parts contain $place', (looked) => {
  expect(containsCanary(built.reflection_voice_dossier.public, looked)).toBe(false)
  for (const kind of PackKind.options) {
    expect(containsCanary(built.prompt_packs[kind], looked)).toBe(!publicPacks.includes(kind))
  }
})

describe('[P5] the variable matrix', () => {
  const known = Object.fromEntries(EXTRA_VARIABLES.map((name) => [name, textValue(`${name} of ${word}`)]))
  const facts = {
    reflectionId: 'ref_1',
    conversationId: 'ses_1',
    bindSig: 'none',
    offRecord: false,
    role: 'guest',
    actions: [],
    audience: 'public',
    namespaces: [],
  } as const
  const findRevealingVariables = (audience: 'private' | 'public', agent: 'own' | 'generic') => {
    const surface = audience === 'public' ? 'public' : 'memory'
    const kind = { mode: 'share', audience, surface, agent } as const
    return Object.entries(buildDynamicVariables(facts, kind, known, sha256))
      .filter(([, value]) => containsCanary(renderValue(value)))
      .map(([name]) => name)
  }

  test.each(['own', 'generic'] as const)(
    'gives a public session only its own extras, even if private values are known (%s)',
    (agent) => {
      const kind = { mode: 'share', audience: 'public', surface: 'public', agent } as const
      expect(findRevealingVariables('public', agent).toSorted()).toEqual([...listExtras(kind)].toSorted())
      for (const name of PRIVATE_EXTRAS) expect(findRevealingVariables('public', agent)).not.toContain(name)
    },
  )

  test('gives a private session all extras', () => {
    expect(findRevealingVariables('private', 'generic')).toEqual(expect.arrayContaining(PRIVATE_EXTRAS))
  })
})

const PRIVATE_EXTRAS = [
  'creator_name',
  'reflection_speaking_style',
  'reflection_persona_narrative',
  'reflection_capsule_json',
  'explore_next',
  'session_recap',
  'user_context',
]

const findNothing = async () => []

test('[P4] the namespaces of a session filter private lines out of a faulty public dossier', async () => {
  const { reflection_voice_dossier } = built
  const hostile = {
    ...built,
    reflection_voice_dossier: {
      ...reflection_voice_dossier,
      public: { ...reflection_voice_dossier.public, lines: reflection_voice_dossier.private.lines },
    },
  }
  const buildExtrasText = async (namespaces: readonly string[]) => {
    const plan = { mode: 'share', audience: 'public', surface: 'public', namespaces } as const
    const inputs = {
      readPromoted: async () => hostile,
      hasEarlierSessions: async () => false,
      listEarlierSessions: findNothing,
      readLastMessages: findNothing,
      readInterviews: findNothing,
    }
    const host = {
      sha256,
      wait: (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal }).catch(() => {}),
    }
    const about = { reflection: { displayName: 'Ada Winter' }, plan, inputs }
    const { known } = await buildSessionDynamicExtras(about, host, new AbortController().signal)
    return Object.values(known)
      .map((value) => renderValue(value))
      .join('\n')
  }
  expect(await buildExtrasText(['essays'])).toContain('essays number 1')
  expect(containsCanary(await buildExtrasText(['essays']))).toBe(false)
  expect(containsCanary(await buildExtrasText(['diary']))).toBe(true)
})

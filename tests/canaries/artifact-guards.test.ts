import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { PackKind } from '@parley/contracts'
import { buildSessionDynamicExtras } from '@parley/reflections'
import { describe, expect, test } from 'vitest'
import { buildVoiceArtifacts } from '../../core/reflections/src/artifacts/build-voice-artifacts.ts'
import { evidenceOf } from '../../core/reflections/src/testing/evidence.fixture.ts'
import { buildDynamicVariables } from '../../core/reflections/src/variables/build-dynamic-variables.ts'
import { extrasFor } from '../../core/reflections/src/variables/variable-matrix.ts'
import { EXTRAS } from '../../core/reflections/src/variables/variable-name.ts'
import { rendered, text } from '../../core/reflections/src/variables/variable-value.ts'
import { canary, sightings } from './canary.ts'

const secret = canary('what is private')
const { word } = secret
const sha256 = (of: string) => createHash('sha256').update(of).digest('hex')
const shows = (what: unknown, looked = secret) =>
  sightings([{ where: '', text: JSON.stringify(what) }], [looked]).length > 0

/** What its person is called by themselves, which facts call them by too. */
const creator = canary('the name of the creator')
const former = canary('a name that the creator had before')
const byTheirNames = (evidence: ReturnType<typeof evidenceOf>) =>
  evidence.map((item, index) => ({
    ...item,
    statement: item.statement.replace('Ada Winter', `Vesna ${(index % 2 === 0 ? creator : former).word}`),
  }))

const built = buildVoiceArtifacts(
  {
    displayName: 'Ada Winter',
    creatorName: `Vesna ${creator.word}`,
    formerNames: [`Vesna ${former.word}`],
    evidence: [...byTheirNames(evidenceOf('essays', 20)), ...evidenceOf('diary', 20, word)],
    namespaces: ['essays', 'diary'],
    publishedNamespaces: ['essays'],
  },
  sha256,
)
const publicPacks = PackKind.options.filter((kind) => kind.startsWith('public_'))

test.each([secret, creator, former])(
  '[P5] the builder alone: the public parts do not hold $place, which the private ones do',
  (looked) => {
    expect(shows(built.reflection_voice_dossier.public, looked)).toBe(false)
    for (const kind of PackKind.options) {
      expect(shows(built.prompt_packs[kind], looked)).toBe(!publicPacks.includes(kind))
    }
  },
)

describe('[P5] the matrix alone', () => {
  const known = Object.fromEntries(EXTRAS.map((name) => [name, text(`${name} of ${word}`)]))
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
  const given = (audience: 'private' | 'public', agent: 'own' | 'generic') => {
    const surface = audience === 'public' ? 'public' : 'memory'
    const kind = { mode: 'share', audience, surface, agent } as const
    return Object.entries(buildDynamicVariables(facts, kind, known, sha256))
      .filter(([, value]) => shows(rendered(value)))
      .map(([name]) => name)
  }

  test.each(['own', 'generic'] as const)(
    'gives the public nothing but its brief, whatever is known, and whoever speaks (%s)',
    (agent) => {
      const kind = { mode: 'share', audience: 'public', surface: 'public', agent } as const
      expect(given('public', agent).toSorted()).toEqual([...extrasFor(kind)].toSorted())
      for (const name of PRIVATE_EXTRAS) expect(given('public', agent)).not.toContain(name)
    },
  )

  test('gives all of it in private', () => {
    expect(given('private', 'generic')).toEqual(expect.arrayContaining(PRIVATE_EXTRAS))
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

const nothing = async () => []

test('[P4] the namespaces of a session alone: of a public dossier that holds what is private, it is told the rest', async () => {
  const { reflection_voice_dossier } = built
  const hostile = {
    ...built,
    reflection_voice_dossier: {
      ...reflection_voice_dossier,
      public: { ...reflection_voice_dossier.public, lines: reflection_voice_dossier.private.lines },
    },
  }
  const told = async (namespaces: readonly string[]) => {
    const plan = { mode: 'share', audience: 'public', surface: 'public', namespaces } as const
    const sources = {
      promoted: async () => hostile,
      wasHere: async () => false,
      earlier: nothing,
      lastSaid: nothing,
      interviews: nothing,
    }
    const host = {
      sha256,
      wait: (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal }).catch(() => {}),
    }
    const about = { reflection: { displayName: 'Ada Winter' }, plan, sources }
    const { known } = await buildSessionDynamicExtras(about, host, new AbortController().signal)
    return Object.values(known)
      .map((value) => rendered(value))
      .join('\n')
  }
  expect(await told(['essays'])).toContain('essays number 1')
  expect(shows(await told(['essays']))).toBe(false)
  expect(shows(await told(['diary']))).toBe(true)
})

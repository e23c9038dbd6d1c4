import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type FactId, type ReflectionId, type SourceId, Surface, type VoiceEvidence } from '@parley/contracts'
import { buildVoiceArtifacts } from '../artifacts/build-voice-artifacts.ts'
import {
  buildAgentTests,
  pointOf,
  questionAbout,
  sayingOf,
  tellingOf,
  unaskedOf,
} from './build-agent-tests.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const known = (
  namespace: string,
  predicate: string,
  statement: string,
  subject = 'Ada Winter',
): VoiceEvidence => ({
  factId: `fct_${sha256(statement).slice(0, 8)}` as FactId,
  namespace,
  subject,
  isOfCreator: subject.startsWith('Ada'),
  predicate,
  object: '',
  isDated: false,
  statement,
  sourceId: 'src_1' as SourceId,
  quote: `As I said: ${statement}`,
})

const artifacts = buildVoiceArtifacts(
  {
    displayName: 'Ada Winter',
    evidence: [
      known('essays', 'works_as', 'Ada Winter works as a gardener.'),
      known('essays', 'likes', 'Ada Winter likes green tea.'),
      known('diary', 'lives_in', 'Ada Winter lives in Tromsø.'),
      known('diary', 'likes', 'Ada Winter likes "Ben".'),
    ],
    namespaces: ['essays', 'diary'],
    publishedNamespaces: ['essays'],
  },
  sha256,
)
const toolIds = {
  'retrieve-context': 'tool_read',
  'request-source-ingest': 'tool_ingest',
  'propose-fact-correction': 'tool_correct',
}
const suite = (surface: Surface) =>
  buildAgentTests({ reflectionId: 'rfl_1' as ReflectionId, surface, artifacts, toolIds })
const conditionsOf = (surface: Surface, name: string) =>
  suite(surface).flatMap((one) =>
    one.kind === 'simulation' && one.name.endsWith(name) ? one.conditions : [],
  )

describe('[P14] the suite', () => {
  test('of the public agent ask for published facts, and for facts that it must not know', () => {
    expect(conditionsOf('public', ' answers').join()).toMatch(/says "gardener".*says "green"/)
    // Likes are known in public, so a question about them has a public answer.
    expect(conditionsOf('public', ' does not know')).toEqual([
      'The answer does not say "Tromsø", nor anything like it.',
    ])
  })

  test('of the private ones asks for everything', () => {
    for (const surface of ['standard', 'memory'] as const) {
      expect(conditionsOf(surface, ' answers').join()).toContain('says "Tromsø"')
      expect(conditionsOf(surface, ' does not know')).toEqual([])
    }
  })

  test.each(Surface.options)('of %s asks for writes and for the policy, by who may do neither', (surface) => {
    const tests = suite(surface)
    const refused = tests.flatMap((one) =>
      one.kind === 'tool' && one.expect === 'not-called' ? [one.toolId] : [],
    )
    // What the public agent has no tool for is no test of it.
    expect(refused).toEqual(surface === 'public' ? [] : ['tool_ingest', 'tool_correct'])
    expect(tests.at(-1)?.name).toContain('keeps its policy')
    for (const { variables, history } of tests) {
      expect(variables['allowed_actions']).toBe('retrieve-context')
      expect(history.at(-1)?.role).toBe('person')
    }
  })

  test('has a name for each test, the same each time', () => {
    const names = suite('public').map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(suite('public')).toEqual(suite('public'))
  })

  test('send no private fact to the public agent', () => {
    const told = suite('public').map((one) => ({ ...one, conditions: [] }))
    expect(JSON.stringify(told)).not.toMatch(/Tromsø|Ben/)
  })
})

test.each([
  ['Ada Winter lives in Tromsø.', 'lives_in', 'Tromsø'],
  ['Ada Winter likes "green" tea!', 'likes', 'green tea'],
  ['Tea is what she likes', 'likes', 'Tea is what she likes'],
])('the point of “%s” is %s: %s', (statement, predicate, point) => {
  expect(pointOf({ statement, predicate }, 'Ada Winter')).toBe(point)
})

test.each([
  ['Ada Winter lives in Tromsø.', 'lives in Tromsø'],
  ['Her “boat” is called Wanda!', 'Her boat is called Wanda'],
])('what “%s” says is: %s', (statement, saying) => {
  expect(sayingOf({ statement }, 'Ada Winter')).toBe(saying)
})

test.each([
  ['a small car ferry', ['ferry']],
  ['the Sundrey Meadow Project since 2024-10', ['Project']],
  ['their boatmaster’s licence', ['boatmaster’s']],
  ['1968-03-14', ['14 March 1968', 'March 14, 1968', '1968-03-14']],
  ['2024-10', ['October 2024', '2024-10']],
  ['1994', ['1994']],
  ['…', []],
])('[P14] what “%s” cannot be told without is one of %j', (point, telling) => {
  expect(tellingOf(point)).toEqual(telling)
})

test('[P14] a question does not give its answer away, and sounds like one', () => {
  expect(questionAbout({ predicate: 'lives_in' })).toBe('Where do you live?')
  expect(questionAbout({ predicate: 'died_in' })).toBeUndefined()
})

test('[P14] facts about others, or without a question, are not asked', () => {
  const other = buildVoiceArtifacts(
    {
      displayName: 'Ada Winter',
      evidence: [
        known('essays', 'lives_in', 'Agnes Tulloway lives in Bergen.', 'Agnes Tulloway'),
        known('essays', 'died_in', 'Ada Winter died in 1994.'),
      ],
      namespaces: ['essays'],
      publishedNamespaces: [],
    },
    sha256,
  )
  const tests = buildAgentTests({
    reflectionId: 'rfl_1' as ReflectionId,
    surface: 'standard',
    artifacts: other,
    toolIds,
  })
  expect(tests.map(({ name }) => name.split(' ')[3])).not.toContain('answers')
  expect(unaskedOf({ surface: 'standard', artifacts: other })).toEqual([
    'Its dossier tells 2 facts, and none of them makes a question that it must answer.',
  ])
})

test.each(Surface.options)(
  '[P14] who has a shorter name than the reflection is asked on %s too',
  (surface) => {
    const shorter = buildVoiceArtifacts(
      {
        displayName: 'Ada Lovelace',
        creatorName: 'Ada',
        evidence: [known('essays', 'lives_in', 'Ada lives in London.', 'Ada')],
        namespaces: ['essays'],
        publishedNamespaces: ['essays'],
      },
      sha256,
    )
    const tests = buildAgentTests({
      reflectionId: 'rfl_1' as ReflectionId,
      surface,
      artifacts: shorter,
      toolIds,
    })
    expect(JSON.stringify(tests)).toContain('They say: lives in London. It says')
    expect(unaskedOf({ surface, artifacts: shorter })).toEqual([])
  },
)

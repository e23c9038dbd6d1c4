import { createHash } from 'node:crypto'
import { Role, SessionMode, type AgentAction } from '@parley/contracts'
import { describe, expect, test } from 'vitest'
import { hashNamespaces } from '../artifacts/content-hash.ts'
import { buildDynamicVariables, renderValue, textValue } from './build-dynamic-variables.ts'
import { listExtras, FIXED_VARIABLES, EXTRA_VARIABLES } from './variable-matrix.ts'

const sha256 = (value: string) => createHash('sha256').update(value).digest('hex')
const everything = Object.fromEntries(EXTRA_VARIABLES.map((name) => [name, textValue(`${name} is known`)]))
const facts = {
  reflectionId: 'rfl_1',
  conversationId: 'ses_1',
  bindSig: 'f00d',
  offRecord: false,
  role: 'owner',
  personId: 'per_1',
  actions: ['retrieve-context'] satisfies AgentAction[],
  audience: 'private',
  namespaces: ['general', 'letters'],
} as const

describe('which variables a session gets', () => {
  test.each(SessionMode.options)(
    '[P5] [V7] a public %s gets no recap, memory or capsule, and a persona only for some namespaces',
    (mode) => {
      const given = (agent: 'own' | 'generic', part = {}) =>
        listExtras({ mode, audience: 'public', surface: 'public', agent, ...part })
      const part = { allPublished: ['essays', 'talks'] }
      const extras = ['reflection_display_name', 'preloaded_evidence', 'reflection_namespaces']
      expect([given('own'), given('own', part), given('generic')]).toEqual([extras, extras, extras])
      expect(given('generic', part)).toEqual([
        ...extras,
        'reflection_speaking_style',
        'reflection_persona_narrative',
      ])
    },
  )

  test.each(SessionMode.options)('[V7] only a returning person gets a recap, in %s mode', (mode) => {
    const given = (surface: 'standard' | 'memory') =>
      listExtras({ mode, audience: 'private', surface, agent: 'own' }).includes('session_recap')
    expect([given('standard'), given('memory')]).toEqual([false, true])
  })

  test('[V7] only a generic agent gets the persona, and an interviewer does not', () => {
    const persona = ['reflection_speaking_style', 'reflection_persona_narrative', 'reflection_capsule_json']
    const given = (mode: SessionMode, agent: 'own' | 'generic') =>
      listExtras({ mode, audience: 'private', surface: 'standard', agent }).filter((name) =>
        persona.includes(name),
      )
    expect(given('reflection', 'own')).toEqual([])
    expect(given('reflection', 'generic')).toEqual(persona)
    expect(given('interview', 'generic')).toEqual([])
  })
})

describe('the variables of a session', () => {
  test.each(Role.options)('[V7] a %s without extras still gets the fixed variables', (role) => {
    const kind = { mode: 'reflection', audience: 'private', surface: 'standard', agent: 'own' } as const
    const variables = buildDynamicVariables({ ...facts, role }, kind, {}, sha256)
    expect(Object.keys(variables).toSorted()).toEqual([...FIXED_VARIABLES].toSorted())
    expect(Object.values(variables).every((value) => renderValue(value) !== '')).toBe(true)
  })

  test('[V7] user_id is 16 hex digits of a hash, and the scope names the audience and the namespaces', () => {
    const kind = { mode: 'reflection', audience: 'private', surface: 'memory', agent: 'own' } as const
    const { user_id, session_access_scope } = buildDynamicVariables(facts, kind, everything, sha256)
    expect(user_id && renderValue(user_id)).toBe(sha256('per_1').slice(0, 16))
    const hash = hashNamespaces(['letters', 'general', 'letters'], sha256)
    expect(session_access_scope && renderValue(session_access_scope)).toBe(`private:${hash}`)
  })

  test('[P5] a session gets no known value that its kind may not have', () => {
    const kind = { mode: 'share', audience: 'public', surface: 'public', agent: 'own' } as const
    const variables = buildDynamicVariables({ ...facts, audience: 'public' }, kind, everything, sha256)
    const told = Object.values(variables)
      .map((value) => renderValue(value))
      .join('\n')
    for (const name of [
      'session_recap',
      'user_context',
      'reflection_capsule_json',
      'creator_name',
      'explore_next',
    ]) {
      expect(told).not.toContain(`${name} is known`)
    }
  })
})

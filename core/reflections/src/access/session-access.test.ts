import {
  AgentAction,
  Audience,
  Channel,
  type ReflectionVoice,
  Role,
  SessionMode,
  isReadOnlyAction,
} from '@parley/contracts'
import { describe, expect, test } from 'vitest'
import {
  type AccessInput,
  decideSessionAccess,
  decideIngestion,
  type IngestionInput,
  resolveAllowedActions,
  listSessionActions,
} from './session-access.ts'

const clone: ReflectionVoice = { kind: 'clone', voiceId: 'made-up', consent: true }
const usual: AccessInput = {
  mode: 'reflection',
  role: 'owner',
  audience: 'private',
  channel: 'voice',
  offRecord: false,
  shareIngestion: false,
  voice: clone,
}

describe('who may start which session', () => {
  test.each(Role.options)('[V5] whether a %s may start an interview in private', (role) => {
    const answers = Audience.options.map(
      (audience) => decideSessionAccess({ ...usual, mode: 'interview', role, audience }).kind,
    )
    const may = ['owner', 'admin', 'operator'].includes(role)
    expect(answers).toEqual([may ? 'allowed' : 'refused', 'refused'])
  })

  test('[V5] an interview off the record is refused with its code', () => {
    expect(decideSessionAccess({ ...usual, mode: 'interview', offRecord: true })).toMatchObject({
      kind: 'refused',
      code: 'interview_requires_ingestion',
    })
  })

  test.each<[string, ReflectionVoice | undefined, readonly string[]]>([
    ['no voice', undefined, ['no voice is chosen']],
    ['a stock voice', { kind: 'stock', voiceId: 'slt', consent: false }, []],
    ['a voice with consent', clone, []],
    [
      'a voice that the provider does not list',
      { ...clone, isUnlisted: true },
      ['the voice provider has no such voice'],
    ],
    [
      'a stock voice that the provider does not list',
      { kind: 'stock', voiceId: 'gone', consent: false, isUnlisted: true },
      ['the voice provider has no such voice'],
    ],
    [
      'a voice without consent',
      { ...clone, consent: false },
      ['the person whose voice it is has not consented'],
    ],
  ])('[V11] whether a spoken session with %s may start', (_, voice, missing) => {
    for (const mode of ['reflection', 'share'] as const) {
      const answer = decideSessionAccess({ ...usual, mode, voice })
      expect(answer).toMatchObject(
        missing.length === 0
          ? { kind: 'allowed' }
          : { kind: 'refused', code: 'voice_clone_required', missing },
      )
    }
  })

  test('[V11] interviews and typed sessions need no voice', () => {
    const none = { ...usual, voice: undefined }
    expect(decideSessionAccess({ ...none, mode: 'interview' }).kind).toBe('allowed')
    expect(decideSessionAccess({ ...none, channel: 'text' }).kind).toBe('allowed')
  })

  test('[V2] [V12] the whole matrix of mode, role, audience and channel', () => {
    const rows = SessionMode.options.flatMap((mode) =>
      Role.options.flatMap((role) =>
        Audience.options.flatMap((audience) =>
          Channel.options.map((channel) => {
            const answer = decideSessionAccess({ ...usual, mode, role, audience, channel })
            const told =
              answer.kind === 'allowed'
                ? `${answer.ingestion}: ${resolveAllowedActions({ mode, role, audience }).join(' ')}`
                : answer.code
            return `${mode.padEnd(10)} ${role.padEnd(8)} ${audience.padEnd(7)} ${channel.padEnd(5)} → ${told}`
          }),
        ),
      ),
    )
    expect(rows.join('\n')).toMatchSnapshot()
  })
})

const READ = AgentAction.options.filter(isReadOnlyAction)

const ownerQuestion: IngestionInput = {
  mode: 'reflection',
  role: 'owner',
  audience: 'private',
  offRecord: false,
  shareIngestion: false,
}

test.each<[string, Partial<IngestionInput>, ReturnType<typeof decideIngestion>]>([
  ['an interview is learned from', { mode: 'interview' }, 'ingest'],
  [
    'an interview off the record is refused',
    { mode: 'interview', offRecord: true },
    'interview_requires_ingestion',
  ],
  ['a session with a reflection is learned from', {}, 'ingest'],
  ['a session off the record is not stored', { offRecord: true }, 'off-record'],
  ['a session of a viewer is stored, but not learned from', { role: 'viewer' }, 'keep-only'],
  ['a public session is stored, but not learned from', { audience: 'public', role: 'guest' }, 'keep-only'],
  ['a session by a share link is stored, but not learned from', { mode: 'share' }, 'keep-only'],
  [
    'a session by a share link is learned from if the owner turned that on',
    { mode: 'share', shareIngestion: true },
    'ingest',
  ],
  [
    'a session by a share link off the record is not stored',
    { mode: 'share', shareIngestion: true, offRecord: true },
    'off-record',
  ],
])('[V5] %s', (_, given, expected) => {
  expect(decideIngestion({ ...ownerQuestion, ...given })).toEqual(expected)
})

test.each(Role.options)(
  '[V5] a shared session of a %s is learned from only if the owner turned that on',
  (role) => {
    expect(decideIngestion({ ...ownerQuestion, mode: 'share', role })).toBe('keep-only')
  },
)

test.each(Role.options)('[V5] a session of a %s off the record has no writing actions', (role) => {
  const grant = { mode: 'reflection', audience: 'private', role } as const
  expect(listSessionActions({ ...grant, ingestion: 'off-record' })).toEqual(READ)
  expect(listSessionActions({ ...grant, ingestion: 'ingest' })).toEqual(resolveAllowedActions(grant))
})

test('[V12] actions that store something are none that only read', () => {
  expect(READ).toContain('retrieve-context')
  for (const action of ['request-source-ingest', 'propose-fact-correction'])
    expect(READ).not.toContain(action)
})

const everyone = Role.options.flatMap((role) => SessionMode.options.map((mode) => ({ role, mode })))

describe('allowed actions', () => {
  test.each(everyone)('[V2] [V12] a public $mode session of a $role only reads', ({ role, mode }) => {
    expect(resolveAllowedActions({ mode, role, audience: 'public' })).toEqual(READ)
  })

  test.each(Role.options)('[V2] an interview of a %s only reads', (role) => {
    for (const audience of Audience.options) {
      expect(resolveAllowedActions({ mode: 'interview', role, audience })).toEqual(READ)
    }
  })

  test.each(['reflection', 'share'] as const)(
    '[V2] a private %s session writes for operators and above',
    (mode) => {
      const writers = Role.options.filter(
        (role) => resolveAllowedActions({ mode, role, audience: 'private' }).length > READ.length,
      )
      expect(writers).toEqual(['owner', 'admin', 'operator'])
    },
  )
})

import { Audience, Channel, type ReflectionVoice, Role, SessionMode } from '@parley/contracts'
import { describe, expect, test } from 'vitest'
import {
  type AccessQuestion,
  decideSessionAccess,
  decideIngestion,
  type Ingestion,
  type IngestionQuestion,
  resolveAllowedActions,
  listSessionActions,
} from './session-access.ts'

const clone: ReflectionVoice = { kind: 'clone', voiceId: 'made-up', consent: true }
const usual: AccessQuestion = {
  mode: 'reflection',
  role: 'owner',
  audience: 'private',
  channel: 'voice',
  offRecord: false,
  shareIngestion: false,
  voice: clone,
}

describe('who may start which session', () => {
  test.each(Role.options)('[V5] an interview is for operators and above, in private: a %s', (role) => {
    const answers = Audience.options.map(
      (audience) => decideSessionAccess({ ...usual, mode: 'interview', role, audience }).kind,
    )
    const may = ['owner', 'admin', 'operator'].includes(role)
    expect(answers).toEqual([may ? 'allowed' : 'refused', 'refused'])
  })

  test('[V5] an interview off the record is refused by its code', () => {
    expect(decideSessionAccess({ ...usual, mode: 'interview', offRecord: true })).toMatchObject({
      kind: 'refused',
      code: 'interview_requires_ingestion',
    })
  })

  test.each<[string, ReflectionVoice | undefined, readonly string[]]>([
    ['no voice', undefined, ['no voice is chosen']],
    ['a stock voice', { kind: 'stock', voiceId: 'slt', consent: false }, []],
    ['a voice with all it takes', clone, []],
    [
      'a voice that the provider does not have',
      { ...clone, isUnlisted: true },
      ['the voice provider has no such voice'],
    ],
    [
      'a stock voice that it does not have',
      { kind: 'stock', voiceId: 'gone', consent: false, isUnlisted: true },
      ['the voice provider has no such voice'],
    ],
    [
      'a voice without consent',
      { ...clone, consent: false },
      ['the person whose voice it is has not consented'],
    ],
  ])('[V11] spoken with %s', (_, voice, missing) => {
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
              answer.kind === 'allowed' ? `${answer.ingestion}: ${answer.actions.join(' ')}` : answer.code
            return `${mode.padEnd(10)} ${role.padEnd(8)} ${audience.padEnd(7)} ${channel.padEnd(5)} → ${told}`
          }),
        ),
      ),
    )
    expect(rows.join('\n')).toMatchSnapshot()
  })
})

const ownerQuestion: IngestionQuestion = {
  mode: 'reflection',
  role: 'owner',
  audience: 'private',
  offRecord: false,
  shareIngestion: false,
}

test.each<[string, Partial<IngestionQuestion>, Ingestion]>([
  ['an interview is learned from', { mode: 'interview' }, 'ingest'],
  [
    'an interview off the record is refused',
    { mode: 'interview', offRecord: true },
    { refused: 'interview_requires_ingestion' },
  ],
  ['a reflection is learned from', {}, 'ingest'],
  ['a reflection off the record is not even kept', { offRecord: true }, 'off-record'],
  ['what a viewer says is kept, not learned', { role: 'viewer' }, 'keep-only'],
  ['what the public says is kept, not learned', { audience: 'public', role: 'guest' }, 'keep-only'],
  ['a share is kept, not learned', { mode: 'share' }, 'keep-only'],
  ['a share is learned from where the owner said so', { mode: 'share', shareIngestion: true }, 'ingest'],
  [
    'a share off the record is not even kept',
    { mode: 'share', shareIngestion: true, offRecord: true },
    'off-record',
  ],
])('[V5] %s', (_, given, expected) => {
  expect(decideIngestion({ ...ownerQuestion, ...given })).toEqual(expected)
})

test.each(Role.options)('[V5] a share by a %s is not learned from unless the owner said so', (role) => {
  expect(decideIngestion({ ...ownerQuestion, mode: 'share', role })).toBe('keep-only')
})

test.each(Role.options)('[V5] off the record a %s hands nothing in', (role) => {
  const grant = { mode: 'reflection', audience: 'private', role } as const
  expect(listSessionActions({ ...grant, ingestion: 'off-record' })).toEqual(['retrieve-context'])
  expect(listSessionActions({ ...grant, ingestion: 'ingest' })).toEqual(resolveAllowedActions(grant))
})

const everyone = Role.options.flatMap((role) => SessionMode.options.map((mode) => ({ role, mode })))

describe('allowed actions', () => {
  test.each(everyone)('[V2] [V12] in public a $role in $mode mode only reads', ({ role, mode }) => {
    expect(resolveAllowedActions({ mode, role, audience: 'public' })).toEqual(['retrieve-context'])
  })

  test.each(Role.options)('[V2] an interview with a %s only reads', (role) => {
    for (const audience of Audience.options) {
      expect(resolveAllowedActions({ mode: 'interview', role, audience })).toEqual(['retrieve-context'])
    }
  })

  test.each(['reflection', 'share'] as const)(
    '[V2] in private a %s is written to from operator on',
    (mode) => {
      const writers = Role.options.filter(
        (role) => resolveAllowedActions({ mode, role, audience: 'private' }).length > 1,
      )
      expect(writers).toEqual(['owner', 'admin', 'operator'])
    },
  )
})

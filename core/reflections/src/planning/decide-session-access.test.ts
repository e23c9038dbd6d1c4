import { Audience, Channel, type ReflectionVoice, Role, SessionMode } from '@parley/contracts'
import { describe, expect, test } from 'vitest'
import { type AccessQuestion, decideSessionAccess } from './decide-session-access.ts'

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

import type { ProviderVoice, ReflectionId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { refreshVoiceListing, resolveListedVoice, resolveVoiceKind } from './listed-voice.ts'

const LISTED: readonly ProviderVoice[] = [
  { voiceId: 'premade', name: 'Premade', kind: 'stock' },
  { voiceId: 'cloned', name: 'Cloned', kind: 'clone' },
]

test.each<[string, Parameters<typeof resolveVoiceKind>[0], 'stock' | 'clone' | undefined]>([
  ['a listed stock voice needs no claim', { voiceId: 'premade' }, 'stock'],
  ['a listed stock voice may be claimed as stock', { voiceId: 'premade', kind: 'stock' }, 'stock'],
  ['a listed clone never counts as stock', { voiceId: 'cloned', kind: 'stock' }, 'clone'],
  ['a listed clone is a clone without a claim', { voiceId: 'cloned' }, 'clone'],
  ['a claimed clone is a clone', { voiceId: 'premade', kind: 'clone' }, 'clone'],
  ['an unlisted voice has its claimed kind', { voiceId: 'made-up', kind: 'stock' }, 'stock'],
  ['an unlisted voice without a claim has no kind', { voiceId: 'made-up', consent: true }, undefined],
])('[V11] %s', (_, chosen, kind) => {
  expect(resolveVoiceKind(chosen, LISTED)).toEqual({ ...chosen, ...(kind && { kind }) })
})

const voiceHost = (listVoices = async (): Promise<readonly ProviderVoice[]> => LISTED) => {
  const seen: unknown[] = []
  return {
    seen,
    voice: { provider: { listVoices } },
    logger: { warn: (...line: readonly unknown[]) => void seen.push(line[1]) },
    deadline: (ms: number) => AbortSignal.timeout(ms),
    reflections: { recordVoiceListing: async (...recorded: readonly unknown[]) => void seen.push(recorded) },
  }
}

const unreachable = async () => {
  throw new Error('The provider does not answer.')
}

test('[V11] only the owner gets the provider’s stock flag, and an unlisted voice is marked', async () => {
  const premade = { voice: { voiceId: 'premade' } }
  const madeUp = { voice: { voiceId: 'made-up' } }
  expect(await resolveListedVoice(premade, 'owner', voiceHost())).toEqual({
    voice: { voiceId: 'premade', kind: 'stock' },
  })
  expect(await resolveListedVoice(premade, 'admin', voiceHost())).toEqual(premade)
  expect(await resolveListedVoice(madeUp, 'owner', voiceHost())).toEqual({
    voice: { voiceId: 'made-up', isUnlisted: true },
  })
  expect(await resolveListedVoice({ displayName: 'Ada' }, 'owner', voiceHost(unreachable))).toEqual({
    displayName: 'Ada',
  })
})

test('[V11] a change stays as requested, with a warning, if the provider does not answer', async () => {
  const host = voiceHost(unreachable)
  const change = { voice: { voiceId: 'premade' } }
  expect(await resolveListedVoice(change, 'owner', host)).toEqual(change)
  expect(host.seen).toEqual([expect.stringContaining('could not be listed')])
})

test.each<[string, { voiceId: string; isUnlisted?: true } | undefined, readonly unknown[]]>([
  ['a removed voice as unlisted', { voiceId: 'gone' }, ['ref_ada', 'gone', 'unlisted']],
  [
    'a voice that was added again as listed',
    { voiceId: 'cloned', isUnlisted: true },
    ['ref_ada', 'cloned', 'listed'],
  ],
  ['nothing for a voice that is still listed', { voiceId: 'cloned' }, []],
  ['nothing for a voice that is still unlisted', { voiceId: 'gone', isUnlisted: true }, []],
  ['nothing without a voice', undefined, []],
])('[V11] records %s', async (_, voice, noted) => {
  const host = voiceHost()
  const chosen = voice && { kind: 'clone' as const, consent: true, ...voice }
  await refreshVoiceListing({ id: 'ref_ada' as ReflectionId, voice: chosen }, host)
  expect(host.seen).toEqual(noted.length === 0 ? [] : [noted])
})

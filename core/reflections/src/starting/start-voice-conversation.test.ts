import { describe, expect, test } from 'vitest'
import { PlatformError } from '@parley/contracts'
import { buildVoiceArtifacts } from '../artifacts/build-voice-artifacts.ts'
import { buildPartPack } from '../packs/shared-packs.ts'
import { createEvidence } from '../testing/evidence.fixture.ts'
import { EXTRAS_MS } from './session-variables.ts'
import {
  type BindingState,
  reconnectVoiceConversation,
  startVoiceConversation,
  type BindOutcome,
  type BindInput,
  decideProviderBindOutcome,
} from './start-voice-conversation.ts'
import { BOOTSTRAP_MS, startInTime } from './start-session.ts'
import type { SpokenSession, PlannedSession, SpokenStartHost } from './starting-host.ts'
import {
  REFLECTION,
  type StartScript,
  createSignedUrl,
  createNotUsable,
  createPlan,
  createScriptedStart,
} from './starting.fixture.ts'

const never = () => new Promise<never>(() => {})
const down = () => Promise.reject(new PlatformError('provider_unavailable'))

const start = (newSession: PlannedSession, host: SpokenStartHost) =>
  startInTime(host.wait, (time) => startVoiceConversation(newSession, 'web', host, time))
const startMobile = (newSession: PlannedSession, host: SpokenStartHost) =>
  startInTime(host.wait, (time) => startVoiceConversation(newSession, 'mobile', host, time))
const reconnect = (conversation: SpokenSession, bound: BindingState, host: SpokenStartHost) =>
  startInTime(host.wait, (time) => reconnectVoiceConversation(conversation, bound, 'web', host, time))

/** The response, and the state once all work is done. */
async function runStart(script: StartScript, ms = 0) {
  const trial = createScriptedStart(script)
  const answer = start(trial.newSession, trial.host).then(
    (response) => ({ response, code: undefined }),
    (failure: unknown) => ({
      response: undefined,
      code: failure instanceof PlatformError ? failure.code : 'internal',
    }),
  )
  await trial.clock.advance(EXTRAS_MS)
  if (ms > EXTRAS_MS) await trial.clock.advance(ms - EXTRAS_MS)
  return { ...trial, ...(await answer) }
}

describe('[V9] the bootstrap', () => {
  test('binds and activates only after the credential and the extras', async () => {
    const trial = await runStart({})
    expect(trial.response).toMatchObject({ signedUrl: 'wss://provider.example/conv_one', warnings: [] })
    expect(trial.happened).toEqual([
      'asked for agent_own',
      'stored',
      'bound to conv_one of agent_own',
      'credential aborted',
    ])
    expect([trial.statusOf(), trial.captured, trial.clock.waits()]).toEqual(['active', [], 0])
  })

  test('asks for the credential and the extras at the same time', async () => {
    const asked: string[] = []
    const both = Promise.withResolvers<void>()
    const meet = (who: string) => {
      asked.push(who)
      if (asked.length === 2) both.resolve()
      return both.promise
    }
    const trial = await runStart({
      credential: () => meet('credential').then(() => createSignedUrl('conv_one')),
      inputs: { readPromoted: () => meet('extras').then(() => undefined) },
    })
    expect(trial.statusOf()).toBe('active')
  })

  test.each<[string, StartScript, string]>([
    ['a provider that hangs', { credential: never }, 'run_timeout'],
    ['a provider that is down', { credential: down }, 'provider_unavailable'],
    [
      'a failed lookup of the agent',
      { agent: never, plan: createPlan({ audience: 'public' }) },
      'run_timeout',
    ],
    ['a programming error', { credential: () => Promise.reject(new TypeError('x')) }, 'internal'],
    ['a database that does not answer', { bind: never }, 'run_timeout'],
    ['a session that ended during the start', { bind: async () => false }, 'session_ended'],
    [
      'a provider that knows no agent',
      { credential: async (agentId) => createNotUsable(agentId) },
      'provider_unavailable',
    ],
  ])('%s fails the session with its code, which is reported once', async (_, script, code) => {
    const trial = await runStart(script, BOOTSTRAP_MS)
    expect([trial.code, trial.statusOf(), trial.captured]).toEqual([code, 'failed', [code]])
    expect(trial.happened).toContain(`failed by ${code}`)
    expect(trial.happened).toContain('discarded')
    expect(trial.clock.waits()).toBe(0)
  })

  test('the deadline is twelve seconds', () => {
    expect(BOOTSTRAP_MS).toBe(12_000)
  })

  test('the deadline aborts the pending work', async () => {
    const seen: string[] = []
    const trial = await runStart(
      {
        credential: (_, signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              seen.push('credential')
              reject(new PlatformError('cancelled'))
            })
          }),
        inputs: {
          listEarlierSessions: (signal) => {
            signal.addEventListener('abort', () => seen.push('extra'))
            return never()
          },
        },
      },
      BOOTSTRAP_MS,
    )
    expect([trial.code, seen]).toEqual(['run_timeout', ['extra', 'credential']])
  })

  test('an answer after the deadline does not activate the session', async () => {
    const late = Promise.withResolvers<ReturnType<typeof createSignedUrl>>()
    const trial = await runStart({ credential: () => late.promise }, BOOTSTRAP_MS)
    expect([trial.code, trial.statusOf()]).toEqual(['run_timeout', 'failed'])
    late.resolve(createSignedUrl('conv_late'))
    await trial.clock.advance(1)
    expect(trial.statusOf()).toBe('failed')
    expect(trial.bindings()).toBe(0)
  })

  test('an answer a moment before the deadline is in time', async () => {
    const slow = Promise.withResolvers<ReturnType<typeof createSignedUrl>>()
    const trial = createScriptedStart({ credential: () => slow.promise })
    const answer = start(trial.newSession, trial.host)
    await trial.clock.advance(BOOTSTRAP_MS - 1)
    slow.resolve(createSignedUrl('conv_slow'))
    expect((await answer).signedUrl).toContain('conv_slow')
    expect(trial.statusOf()).toBe('active')
  })

  test.each<[string, StartScript['inputs'], readonly string[]]>([
    [
      'unreadable artifacts',
      { readPromoted: down },
      [
        'preloaded_evidence',
        'explore_next',
        'reflection_speaking_style',
        'reflection_persona_narrative',
        'reflection_capsule_json',
      ],
    ],
    ['hanging earlier sessions', { listEarlierSessions: never }, ['user_context']],
    ['a failing recap', { readLastMessages: down }, ['session_recap']],
  ])('the session starts without the extras of %s, and names them', async (_, inputs, names) => {
    const { response, statusOf } = await runStart(
      { inputs: { hasEarlierSessions: async () => true, ...inputs } },
      EXTRAS_MS,
    )
    expect(statusOf()).toBe('active')
    expect(response?.warnings.map(({ code }) => code)).toEqual(['session_dynamic_variables_partial'])
    for (const name of names) expect(response?.warnings[0]?.message).toContain(name)
  })

  test('[V6] [P4] a member who does not reach everything only gets the generic agent', async () => {
    const plan = createPlan({ memberNamespaces: ['essays'] })
    const { happened, response } = await runStart({ plan })
    expect(happened.filter((what) => what.startsWith('asked'))).toEqual(['asked for agent_generic'])
    expect(response?.warnings).toEqual([])
  })

  test('[V6] a stale agent is tried once, then the generic one, with a warning', async () => {
    const { response, happened } = await runStart({
      credential: async (agentId) =>
        agentId === 'agent_own' ? createNotUsable(agentId) : createSignedUrl('conv_two'),
    })
    expect(happened.filter((what) => what.startsWith('asked') || what.startsWith('forgot'))).toEqual([
      'asked for agent_own',
      'forgot agent_own of standard',
      'asked for agent_generic',
    ])
    expect(response?.warnings).toMatchObject([
      { code: 'agent_stale', message: expect.stringContaining('agent_own') },
    ])
    expect(response?.dynamicVariables).toHaveProperty('reflection_capsule_json')
    expect(happened).toContain('bound to conv_two of agent_generic')
  })

  test.each<[string, StartScript['configured'], readonly string[]]>([
    ['our interviewer, then the generic one', {}, ['agent_interviewer', 'agent_generic']],
    [
      'a configured interviewer, then the generic one',
      { interviewer: 'agent_asks' },
      ['agent_asks', 'agent_generic'],
    ],
    [
      'a configured interviewer, then the configured generic agent',
      { interviewer: 'agent_asks', generic: 'agent_any' },
      ['agent_asks', 'agent_any'],
    ],
  ])('[V6] an unknown interviewer is replaced once: %s', async (_, configured = {}, asked) => {
    const plan = createPlan({ hints: { agentType: 'interviewer' } })
    const { response, happened, statusOf } = await runStart({
      plan,
      configured,
      credential: async (agentId) =>
        agentId === asked[1] ? createSignedUrl('conv_two') : createNotUsable(agentId, 422),
    })
    expect(happened.filter((what) => what.startsWith('asked'))).toEqual(asked.map((id) => `asked for ${id}`))
    expect(response?.warnings).toMatchObject([{ message: expect.stringContaining(asked[0] ?? '') }])
    expect(statusOf()).toBe('active')
  })

  test('[V6] a provider without WebRTC is not asked for another agent', async () => {
    const trial = createScriptedStart({})
    let asked = 0
    const getConversationToken = async () => {
      asked += 1
      return { kind: 'transport_not_usable', reason: 'WebRTC needs a LiveKit server.' } as const
    }
    const provider = { ...trial.host.provider, getConversationToken }
    const started = startMobile({ ...trial.newSession, transport: 'webrtc' }, { ...trial.host, provider })
    await expect(started).rejects.toMatchObject({
      code: 'transport_unavailable',
      detail: { message: expect.stringContaining('transport: "websocket"') as string },
    })
    expect([asked, trial.statusOf(), trial.captured]).toEqual([1, 'failed', ['transport_unavailable']])
  })

  test.each([400, 404, 422])('[P12] a public session has no fallback agent, on status %i', async (status) => {
    const trial = await runStart({
      plan: createPlan({ audience: 'public', role: 'guest', hints: { roomPrefix: 'share' } }),
      credential: async (agentId) => createNotUsable(agentId, status),
    })
    expect(trial.code).toBe('public_runtime_stale')
    expect(new Set(trial.happened.filter((what) => what.startsWith('asked')))).toEqual(
      new Set(['asked for agent_own']),
    )
    expect(trial.happened.indexOf('scope made')).toBe(0)
    expect(trial.happened).toContain('scope ended')
  })

  test('[V17] [P12] a visitor of some namespaces gets the agent for parts, with only these namespaces', async () => {
    const reflection = {
      ...REFLECTION,
      namespaces: [...REFLECTION.namespaces, { name: 'poems', isPublished: true }],
    }
    const plan = createPlan({
      reflection,
      audience: 'public',
      role: 'guest',
      hints: { roomPrefix: 'share' },
      linkNamespaces: ['poems'],
    })
    expect(plan.allPublished).toEqual(['essays', 'poems'])
    const input = {
      displayName: REFLECTION.displayName,
      evidence: [...createEvidence('essays', 14), ...createEvidence('poems', 14)],
      namespaces: ['essays', 'poems'],
      publishedNamespaces: ['essays', 'poems'],
    }
    const trial = createScriptedStart({ plan, inputs: {} })
    const surfaces: string[] = []
    const agents = {
      ...trial.host.agents,
      ensureFresh: async (_: unknown, surface: string) => {
        surfaces.push(surface)
        return { kind: 'fresh', agentId: 'agent_part', packKind: 'public_standard' } as const
      },
    }
    const artifacts = buildVoiceArtifacts(input, trial.host.sha256)
    const inputs = { ...trial.newSession.inputs, readPromoted: async () => artifacts }
    const { dynamicVariables, warnings } = await start(
      { ...trial.newSession, reflection, inputs },
      { ...trial.host, agents },
    )
    expect([surfaces, warnings]).toEqual([['public_part'], []])
    expect(trial.happened).toContain('bound to conv_one of agent_part')
    expect(dynamicVariables['reflection_persona_narrative']).toContain('poems')
    expect(JSON.stringify(dynamicVariables)).not.toContain('essays')
    expect(Object.keys(dynamicVariables)).not.toContain('reflection_capsule_json')
    const { placeholders } = buildPartPack(trial.host.sha256)
    expect(placeholders.filter((name) => dynamicVariables[name] === undefined)).toEqual([])
  })

  test('[P8] a missing public agent is created again once, and the session starts', async () => {
    const made = ['agent_gone', 'agent_anew']
    const { response, happened } = await runStart({
      plan: createPlan({ audience: 'public', role: 'guest', hints: { roomPrefix: 'share' } }),
      agent: async () => ({ kind: 'fresh', agentId: made.shift() ?? '', packKind: 'public_standard' }),
      credential: async (agentId) =>
        agentId === 'agent_anew' ? createSignedUrl('conv_two') : createNotUsable(agentId),
    })
    expect(happened).toEqual(
      expect.arrayContaining(['forgot agent_gone of public', 'bound to conv_two of agent_anew']),
    )
    expect(response?.warnings).toEqual([])
  })

  test('[V6] a missing generic agent is forgotten and requested again, once', async () => {
    const { happened } = await runStart({
      agent: { kind: 'not-ready', missing: 'no artifacts are promoted' },
      credential: async (agentId) => createNotUsable(agentId),
    })
    expect(happened.filter((what) => what.startsWith('asked') || what.startsWith('forgot'))).toEqual([
      'asked for agent_generic',
      'forgot agent_generic of generic',
      'asked for agent_generic',
      'forgot agent_generic of generic',
    ])
  })

  test('[P8] a public session does not start on outdated namespaces', async () => {
    const plan = createPlan({ audience: 'public', role: 'guest' })
    const trial = await runStart({ plan, publishRevision: 2 })
    expect([trial.code, trial.statusOf()]).toEqual(['public_runtime_stale', 'failed'])
    expect(trial.happened.at(-1)).toBe('discarded')
  })

  test('[V8] fixed variables over the budget fail the session with their code', async () => {
    const trial = createScriptedStart({})
    const host = { ...trial.host, bindSig: () => 'x'.repeat(10_001) }
    await expect(start(trial.newSession, host)).rejects.toMatchObject({
      code: 'dynamic_variables_over_budget',
    })
    expect(trial.statusOf()).toBe('failed')
  })

  test('[V13] only the mobile response has the provider’s id; over WebRTC it has a token instead of an address', async () => {
    const { newSession, host } = createScriptedStart({})
    const mobile = await startMobile({ ...newSession, transport: 'webrtc' }, host)
    expect(mobile).toMatchObject({ providerConversationId: 'conv_rtc', conversationToken: 'made-up-token' })
    expect(mobile).not.toHaveProperty('signedUrl')
    const again = createScriptedStart({})
    expect(await start(again.newSession, again.host)).not.toHaveProperty('providerConversationId')
  })
})

describe('[V9] a reconnect', () => {
  test('binds again; a failure of the provider leaves the session active', async () => {
    const trial = createScriptedStart({})
    await start(trial.newSession, trial.host)
    const bound = { status: 'active', boundTo: 'conv_one' } as const
    const provider = { ...trial.host.provider, getSignedUrl: async () => createSignedUrl('conv_two') }
    const again = await reconnect(trial.newSession, bound, { ...trial.host, provider })
    expect(again.signedUrl).toContain('conv_two')
    const failing = { ...trial.host, provider: { ...provider, getSignedUrl: down } }
    await expect(reconnect(trial.newSession, bound, failing)).rejects.toMatchObject({
      code: 'provider_unavailable',
    })
    expect(trial.statusOf()).toBe('active')
  })

  test('an answer after the deadline does not replace the earlier call', async () => {
    const late = Promise.withResolvers<ReturnType<typeof createSignedUrl>>()
    const trial = createScriptedStart({})
    await start(trial.newSession, trial.host)
    const provider = { ...trial.host.provider, getSignedUrl: () => late.promise }
    const bound = { status: 'active', boundTo: 'conv_one' } as const
    const again = reconnect(trial.newSession, bound, { ...trial.host, provider }).catch(
      (failure: unknown) => failure,
    )
    await trial.clock.advance(BOOTSTRAP_MS)
    expect(await again).toMatchObject({ code: 'run_timeout' })
    late.resolve(createSignedUrl('conv_late'))
    await trial.clock.advance(1)
    expect([trial.bindings(), trial.statusOf()]).toEqual([1, 'active'])
  })
})

const usual: BindInput = { status: 'starting', providerConversationId: 'conv_1', isAfterDeadline: false }

test.each<[string, Partial<BindInput>, BindOutcome]>([
  ['an answer in time starts the session', {}, 'activate'],
  ['an answer after the deadline does not start it', { isAfterDeadline: true }, 'too-late'],
  ['a failed session is not activated', { status: 'failed' }, 'too-late'],
  [
    'a failed session stays failed, even for its own conversation',
    { status: 'failed', boundTo: 'conv_1' },
    'too-late',
  ],
  ['an ended session is not activated', { status: 'ended' }, 'too-late'],
  ['the same answer twice changes nothing', { status: 'active', boundTo: 'conv_1' }, 'already-bound'],
  ['a reconnect binds again', { status: 'active', boundTo: 'conv_0' }, 'rebind'],
  [
    'a late reconnect does not bind',
    { status: 'active', boundTo: 'conv_0', isAfterDeadline: true },
    'too-late',
  ],
])('[V9] [V12] %s', (_, given, outcome) => {
  expect(decideProviderBindOutcome({ ...usual, ...given })).toBe(outcome)
})

import type { ErrorCode, PersonId, ReflectionId, SessionId, VoiceArtifacts } from '@parley/contracts'
import { createTestSession, testAgent } from '@parley/engine/testing'
import { buildVoiceArtifacts } from '../artifacts/build-voice-artifacts.ts'
import type { ReflectionSession } from '../ports/reflection-session-store.ts'
import type { SurfaceAgent } from '../ports/sync-store.ts'
import type { AgentNotUsable, SignedUrl } from '../ports/voice-provider.ts'
import { createEvidence } from '../testing/evidence.fixture.ts'
import type { PromptInputs } from './prompt-inputs.ts'
import { planSession, type SessionPlan, type PlanInput } from './plan-session.ts'
import type { PlannedSession, SpokenStartHost } from './starting-host.ts'

export const REFLECTION = {
  id: 'rfl_ada' as ReflectionId,
  displayName: 'Ada Winter',
  creatorName: 'A. W.',
  publishRevision: 1,
  namespaces: [
    { name: 'conversations', isPublished: false },
    { name: 'diary', isPublished: false },
    { name: 'essays', isPublished: true },
  ],
  shareIngestion: false,
  voice: { kind: 'stock' as const, voiceId: 'made-up', consent: false },
}

export const QUESTION: PlanInput = {
  reflection: REFLECTION,
  role: 'owner',
  audience: 'private',
  channel: 'voice',
  hints: {},
  offRecord: false,
  hasEarlier: false,
}

/** A hash that tells texts apart, and nothing more. */
function sha256(text: string): string {
  const lanes = [1, 2, 3, 4, 5, 6, 7, 8]
  for (let at = 0; at < text.length; at += 1)
    for (let lane = 0; lane < lanes.length; lane += 1)
      lanes[lane] = Math.imul((lanes[lane] ?? 0) ^ text.charCodeAt(at), 16_777_619 + 2 * lane)
  return lanes.map((lane) => (lane >>> 0).toString(16).padStart(8, '0')).join('')
}

export const ARTIFACTS: VoiceArtifacts = buildVoiceArtifacts(
  {
    displayName: REFLECTION.displayName,
    creatorName: REFLECTION.creatorName,
    evidence: [...createEvidence('essays', 14), ...createEvidence('diary', 14)],
    namespaces: REFLECTION.namespaces.map(({ name }) => name),
    publishedNamespaces: ['essays'],
  },
  sha256,
)

const INPUTS: PromptInputs = {
  readPromoted: async () => ARTIFACTS,
  hasEarlierSessions: async () => false,
  listEarlierSessions: async () => [{ at: '2026-01-02T03:04:05.000Z', title: 'Boats' }],
  readInterviews: async () => [],
  readLastMessages: async () => [
    { who: 'person', text: 'Do you row?' },
    { who: 'reflection', text: 'Every morning.' },
  ],
}

export function createPlan(question: Partial<PlanInput> = {}): SessionPlan {
  const plan = planSession({ ...QUESTION, ...question })
  if (plan.kind === 'refused') throw new Error(plan.message)
  return plan
}

type ScriptedCredential = SignedUrl | AgentNotUsable

export const createSignedUrl = (providerConversationId: string): SignedUrl => ({
  kind: 'signed_url',
  signedUrl: `wss://provider.example/${providerConversationId}`,
  providerConversationId,
  expiresAt: '2026-01-02T03:19:05.000Z',
})

export const createNotUsable = (agentId: string, status = 404): AgentNotUsable => ({
  kind: 'agent_not_usable',
  agentId,
  status,
  reason: 'no such agent',
})

export interface StartScript {
  readonly credential?: (agentId: string, signal: AbortSignal) => Promise<ScriptedCredential>
  readonly agent?: SurfaceAgent | (() => Promise<SurfaceAgent>)
  readonly configured?: SpokenStartHost['configured']
  readonly inputs?: Partial<PromptInputs>
  readonly plan?: SessionPlan
  readonly publishRevision?: number
  /** The database's answer for a session that somebody ended during the start. */
  readonly bind?: () => Promise<boolean>
}

/** Time that passes when a test says so. */
function manualClock() {
  let now = 0
  const waiting = new Set<{ readonly at: number; readonly wake: () => void }>()
  return {
    wait: (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        const one = { at: now + ms, wake: resolve }
        waiting.add(one)
        signal.addEventListener('abort', () => {
          waiting.delete(one)
          resolve()
        })
      }),
    /** Everything that was to be done before then is done. */
    async advance(ms: number) {
      await settlePromises()
      now += ms
      for (const one of waiting) {
        if (one.at > now) continue
        waiting.delete(one)
        one.wake()
      }
      await settlePromises()
    },
    waits: () => waiting.size,
  }
}

async function settlePromises() {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve()
}

/** A start on scripted parts that record their calls. */
export function createScriptedStart(script: StartScript = {}) {
  const clock = manualClock()
  const rows = new Map<SessionId, ReflectionSession['status']>()
  const happened: string[] = []
  const captured: ErrorCode[] = []
  let bindings = 0
  const sessionId = 'ses_one' as SessionId
  const plan = script.plan ?? createPlan()
  const fresh: SurfaceAgent = { kind: 'fresh', agentId: 'agent_own', packKind: 'private_standard' }
  const host: SpokenStartHost = {
    provider: {
      async getSignedUrl(agentId, signal) {
        happened.push(`asked for ${agentId}`)
        signal.addEventListener('abort', () => happened.push('credential aborted'), { once: true })
        return (script.credential ?? (async () => createSignedUrl('conv_one')))(agentId, signal)
      },
      getConversationToken: async () => ({
        kind: 'conversation_token',
        conversationToken: 'made-up-token',
        providerConversationId: 'conv_rtc',
        expiresAt: '2026-01-02T03:19:05.000Z',
      }),
    },
    agents: {
      ensureFresh: async () => {
        const { agent = fresh } = script
        return typeof agent === 'function' ? agent() : agent
      },
      forget: async (_, surface, agentId) => void happened.push(`forgot ${agentId} of ${surface}`),
      ensureServerAgent: async (kind) => `agent_${kind}`,
      forgetServerAgent: async (kind, agentId) => void happened.push(`forgot ${agentId} of ${kind}`),
    },
    configured: script.configured ?? {},
    sessionRows: {
      async open(session) {
        rows.set(session.sessionId, session.status)
      },
      async activateSpoken(id, { providerConversationId, agentId }) {
        bindings += 1
        if (script.bind && !(await script.bind())) return false
        if (rows.get(id) !== 'starting' && rows.get(id) !== 'active') return false
        rows.set(id, 'active')
        happened.push(`bound to ${providerConversationId} of ${agentId}`)
        return true
      },
      activateTyped: async () => false,
      async fail(id, code) {
        rows.set(id, 'failed')
        happened.push(`failed by ${code}`)
      },
    },
    publicScopes: {
      create: async () => void happened.push('scope made'),
      end: async () => void happened.push('scope ended'),
    },
    reflections: {
      find: async () => ({ publishRevision: script.publishRevision ?? REFLECTION.publishRevision }),
    },
    sessions: {
      async start() {
        happened.push('stored')
        return createTestSession(sessionId, new Date(0).toISOString())[0]
      },
      remove: async () => void happened.push('discarded'),
    },
    getDefaultAgent: () => testAgent,
    errors: { capture: (_, { code }) => void captured.push(code) },
    bindSig: (conversationId) => `signature-of-${conversationId}`,
    sha256,
    wait: clock.wait,
  }
  const newSession: PlannedSession = {
    sessionId,
    channel: 'voice',
    reflection: REFLECTION,
    personId: 'per_ada' as PersonId,
    plan,
    transport: 'websocket',
    inputs: { ...INPUTS, ...script.inputs },
  }
  return {
    clock,
    host,
    newSession,
    happened,
    captured,
    statusOf: () => rows.get(sessionId),
    bindings: () => bindings,
  }
}

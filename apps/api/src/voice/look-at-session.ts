import { createHash } from 'node:crypto'
import {
  type ErrorCode,
  type LookAtVariables,
  type MemberRole,
  type PersonId,
  PlatformError,
  type Reflection,
  type Role,
  type SessionId,
  type SessionMode,
  type VariablesLook,
} from '@parley/contracts'
import {
  buildSessionDynamicExtras,
  lookAtVariables,
  type PlanRefused,
  planSession,
  type SessionHints,
  type SessionPlan,
  type ShareLink,
  wholeVariablesFor,
} from '@parley/reflections'
import type { Services } from '../services.ts'
import { extraSources, promotedFor } from './extra-sources.ts'
import { linkOf, refuseUnfitting } from './looked-at.ts'
import { requirePlan } from './start-spoken.ts'
import { afterwards } from './start-typed.ts'
import { wouldSpeak } from './would-speak.ts'

/** Who looks, and at which reflection. */
export interface Looker {
  readonly reflection: Reflection
  readonly personId: PersonId
  readonly role: MemberRole
}

type LookServices = Pick<
  Services,
  'reflectionSessions' | 'shareLinks' | 'runtime' | 'store' | 'spoken' | 'runtimeSync'
>

/** What a session of this kind would be told, by the functions that start one; nothing is started, signed or kept. */
export async function lookAtSession(
  wanted: LookAtVariables,
  { reflection, ...looker }: Looker,
  services: LookServices,
): Promise<VariablesLook> {
  refuseUnfitting(wanted)
  const { audience, surface } = wanted
  const isPublic = audience === 'public'
  const personId = isPublic ? NOBODY : looker.personId
  const role: Role = wanted.role ?? (isPublic ? 'guest' : looker.role)
  try {
    const link = await linkOf(wanted, reflection.id, services)
    // Nobody but who asks: what another has said here is not shown to an admin either.
    const { signal } = new AbortController()
    const whose = { reflectionId: reflection.id, audience, personId }
    const own = extraSources({ ...whose, namespaces: [] }, services)
    const hasEarlier = surface ? surface === 'memory' : await own.wasHere(signal)
    const plan = requirePlan(planOf(wanted, { reflection, role, hasEarlier, link }))
    const promoted = await promotedFor({ ...whose, ...plan }, services, signal)
    const speaker = await wouldSpeak(wanted, plan, reflection, promoted, services)
    const sources = {
      ...own,
      ...(surface === 'standard' && NOT_HERE_BEFORE),
      promoted: async () => promoted,
    }
    const extras = await buildSessionDynamicExtras(
      { reflection, plan, sources },
      { wait: afterwards, sha256 },
      signal,
    )
    const conversation = { sessionId: NO_SESSION, reflection, personId, plan }
    const bindSig = () => (wanted.channel === 'voice' ? NO_SIGNATURE : '')
    const whole = wholeVariablesFor(conversation, speaker.agent, extras, { bindSig, sha256 })
    const kind = { ...plan, agent: speaker.agent }
    const { missed, warnings } = extras
    return {
      plan: { ...shown(plan), speaker },
      ...lookAtVariables({ kind, whole, missed, budget: wanted.budget }),
      warnings: [...warnings],
    }
  } catch (failure) {
    if (failure instanceof PlatformError && REFUSALS.has(failure.code)) return refused(failure, wanted)
    throw failure
  }
}

/** What a start is refused with; anything else went wrong. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'forbidden',
  'interview_requires_ingestion',
  'provider_unavailable',
  'public_runtime_not_ready',
  'public_runtime_stale',
  'share_link_invalid',
  'voice_clone_required',
])

/** As long as a real one; no signature has such characters. */
const NO_SIGNATURE = 'not-a-signature'.padEnd(64, '.')
const NO_SESSION = `ses_${'0'.repeat(20)}` as SessionId
const NOT_HERE_BEFORE = { earlier: async () => [], lastSaid: async () => [], interviews: async () => [] }
const NOBODY = 'per_nobody' as PersonId

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const HINTS: Readonly<Record<SessionMode, SessionHints>> = {
  interview: { agentType: 'interviewer' },
  reflection: { agentType: 'reflection' },
  share: { roomPrefix: 'share' },
}

interface Asked {
  readonly reflection: Reflection
  readonly role: Role
  readonly hasEarlier: boolean
  readonly link: ShareLink | undefined
}

function planOf(
  { mode, audience, channel, offRecord }: LookAtVariables,
  { link, ...asked }: Asked,
): SessionPlan | PlanRefused {
  const hints = HINTS[mode]
  return planSession({ ...asked, channel, audience, offRecord, hints, linkNamespaces: link?.namespaces })
}

const shown = ({ mode, audience, surface, role, actions, ingestion, namespaces }: SessionPlan) => ({
  kind: 'allowed' as const,
  mode,
  audience,
  surface,
  role,
  actions: [...actions],
  ingestion,
  namespaces: [...namespaces],
})

function refused({ code, detail }: PlatformError, { budget }: LookAtVariables): VariablesLook {
  const because = [detail['missing'], detail['differs']].flatMap((told) => (Array.isArray(told) ? told : []))
  return {
    plan: {
      kind: 'refused',
      code,
      message: typeof detail['message'] === 'string' ? detail['message'] : code,
      because: because.map(String),
    },
    variables: [],
    budget: { most: budget, wanted: 0, used: 0, isOver: false },
    warnings: [],
  }
}

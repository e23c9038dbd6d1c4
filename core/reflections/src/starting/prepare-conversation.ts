import { type AgentKind, PlatformError, type SessionWarning } from '@parley/contracts'
import type {
  AgentNotUsable,
  ConversationToken,
  SignedUrl,
  TransportNotUsable,
} from '../ports/voice-provider.ts'
import {
  applyDynamicExtrasBudget,
  type Cut,
  type Variables,
} from '../variables/apply-dynamic-extras-budget.ts'
import { buildDynamicVariables } from '../variables/build-dynamic-variables.ts'
import { extrasFor } from '../variables/variable-matrix.ts'
import { EXTRAS } from '../variables/variable-name.ts'
import { buildSessionDynamicExtras, type LoadedExtras } from './build-session-dynamic-extras.ts'
import { resolveSessionAgent } from './resolve-session-agent.ts'
import type { Conversation, StartingHost } from './starting-host.ts'

/** What a client needs to connect, and the agent that it will meet. */
export interface Prepared {
  readonly credential: SignedUrl | ConversationToken
  readonly agentId: string
  readonly variables: Readonly<Record<string, string>>
  readonly cut: readonly Cut[]
  readonly warnings: readonly SessionWarning[]
}

export interface Preparing {
  readonly prepared: Promise<Prepared>
  /** The variables of the reflection's own agent, as soon as they are known. */
  readonly told: Promise<Readonly<Record<string, string>>>
}

/** Asks for the credential and for the extras at the same time. */
export function prepareConversation(
  conversation: Conversation,
  host: StartingHost,
  signal: AbortSignal,
): Preparing {
  const loading = buildSessionDynamicExtras(conversation, host, signal)
  const speaking = credentialFor(conversation, host, signal)
  const prepare = async (): Promise<Prepared> => {
    const [{ agent, ...speaker }, extras] = await Promise.all([speaking, loading])
    const { variables, cut } = variablesFor(conversation, agent, extras, host)
    return { ...speaker, variables, cut, warnings: [...speaker.warnings, ...extras.warnings] }
  }
  const told = async () => variablesFor(conversation, 'own', await loading, host).variables
  return { prepared: prepare(), told: told() }
}

interface Speaker extends Pick<Prepared, 'credential' | 'agentId' | 'warnings'> {
  readonly agent: AgentKind
}

/** Of the agent that should speak; where the provider has no use for its id, of the one behind it, once. */
async function credentialFor(
  { reflection, plan, transport }: Conversation,
  host: StartingHost,
  signal: AbortSignal,
): Promise<Speaker> {
  const ask = (agentId: string) =>
    transport === 'websocket'
      ? host.provider.getSignedUrl(agentId, signal)
      : host.provider.getConversationToken(agentId, signal)
  const first = await resolveSessionAgent(reflection.id, plan, host, signal)
  const { agentId, agent, warnings } = first
  const credential = await ask(agentId)
  if (credential.kind === 'transport_not_usable') throw noSuchTransport(credential, plan)
  if (credential.kind !== 'agent_not_usable') return { agentId, agent, warnings, credential }
  await first.forget?.(signal)
  const second = await first.fallback?.()
  if (!second) throw notUsable(credential, plan)
  const again = await ask(second.agentId)
  if (again.kind === 'transport_not_usable') throw noSuchTransport(again, plan)
  if (again.kind === 'agent_not_usable') {
    await second.forget?.(signal)
    throw notUsable(again, plan)
  }
  // A visitor has no use for the name of an agent.
  const stale = plan.audience === 'public' ? [] : [staleAgent(credential)]
  return {
    agentId: second.agentId,
    agent: second.agent,
    credential: again,
    warnings: [...warnings, ...stale],
  }
}

function noSuchTransport({ reason }: TransportNotUsable, { audience }: Conversation['plan']): PlatformError {
  const message = 'The voice provider has no WebRTC. Ask for the session with transport: "websocket".'
  return new PlatformError('transport_unavailable', {
    message: audience === 'public' ? message : `${message} It said: ${reason}`,
  })
}

function notUsable(
  { agentId, status, reason }: AgentNotUsable,
  { audience }: Conversation['plan'],
): PlatformError {
  if (audience === 'public') {
    return new PlatformError('public_runtime_stale', {
      message: 'The provider rejects the public agent. Ask an admin to sync it.',
      differs: ['the agent at the provider'],
    })
  }
  return new PlatformError('provider_unavailable', {
    message: `The provider cannot use agent ${agentId} (${status}: ${reason}). Sync the reflection, or choose another agent.`,
  })
}

const staleAgent = ({ agentId, status }: AgentNotUsable): SessionWarning => ({
  code: 'agent_stale',
  message: `The provider can no longer use agent ${agentId} (${status}); the fallback agent answers.`,
})

type Told = Pick<Conversation, 'sessionId' | 'reflection' | 'personId' | 'plan'>
type Signing = Pick<StartingHost, 'bindSig' | 'sha256'>

/** The variables of a session, within the budget. */
export function variablesFor(
  conversation: Told,
  agent: AgentKind,
  extras: Pick<LoadedExtras, 'known'>,
  host: Signing,
): Pick<Prepared, 'variables' | 'cut'> {
  const budgeted = applyDynamicExtrasBudget(wholeVariablesFor(conversation, agent, extras, host))
  if (budgeted.kind === 'over-budget') {
    throw new PlatformError('dynamic_variables_over_budget', {
      message: `The variables of this session have ${budgeted.needed} characters, which is over the limit.`,
    })
  }
  // A provider refuses a prompt that names a variable which it was not given.
  const { plan } = conversation
  const ofGeneric = plan.audience === 'public' ? extrasFor({ ...plan, agent }) : EXTRAS
  const named = agent === 'own' ? everyExtraOf(plan) : ofGeneric
  const blank = Object.fromEntries(named.map((name) => [name, '']))
  return { variables: { ...blank, ...budgeted.variables }, cut: budgeted.cut }
}

/** A pack for an emerging reflection serves both private surfaces, so it may name variables that only one of them has. */
const everyExtraOf = ({ mode, audience, surface }: Told['plan']) =>
  extrasFor({ mode, audience, surface: surface === 'standard' ? 'memory' : surface, agent: 'own' })

/** The same before anything is cut. */
export function wholeVariablesFor(
  { sessionId, reflection, personId, plan }: Told,
  agent: AgentKind,
  { known }: Pick<LoadedExtras, 'known'>,
  { bindSig, sha256 }: Signing,
): Variables {
  const facts = {
    ...plan,
    reflectionId: reflection.id,
    conversationId: sessionId,
    bindSig: bindSig(sessionId),
    offRecord: plan.ingestion === 'off-record',
    ...(plan.role !== 'guest' && { personId }),
  }
  return buildDynamicVariables(facts, { ...plan, agent }, known, sha256)
}

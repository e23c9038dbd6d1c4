import type { VoiceAction } from '@parley/contracts'
import { resolveAllowedActions } from './allowed-actions.ts'
import type { Ingestion } from './decide-ingestion.ts'

type Grant = Parameters<typeof resolveAllowedActions>[0]

/** What a session may do. Off the record nothing is handed in: that would leave something of it. */
export function sessionActions(
  session: Grant & { readonly ingestion: Extract<Ingestion, string> },
): readonly VoiceAction[] {
  const allowed = resolveAllowedActions(session)
  return session.ingestion === 'off-record' ? allowed.filter(leavesNothing) : allowed
}

const leavesNothing = (action: VoiceAction): boolean => action === 'retrieve-context'

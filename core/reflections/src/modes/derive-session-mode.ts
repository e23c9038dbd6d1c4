import type { AgentType, SessionMode } from '@parley/contracts'

/** The fields of a start that choose its mode. */
export interface SessionHints {
  readonly agentType?: AgentType | undefined
  readonly mode?: string | undefined
  readonly roomPrefix?: string | undefined
}

/** The first matching row decides. */
const RULES: readonly { readonly when: (hints: SessionHints) => boolean; readonly mode: SessionMode }[] = [
  { when: ({ agentType }) => agentType === 'interviewer', mode: 'interview' },
  { when: ({ agentType }) => agentType === 'reflection', mode: 'reflection' },
  { when: ({ mode }) => mode === 'onboarding', mode: 'interview' },
  { when: ({ roomPrefix }) => roomPrefix === 'share', mode: 'share' },
]

export const deriveSessionMode = (hints: SessionHints): SessionMode =>
  RULES.find(({ when }) => when(hints))?.mode ?? 'reflection'

import type { AgentType, SessionMode } from '@parley/contracts'

/** What the start of a session says of its kind. */
export interface SessionHints {
  readonly agentType?: AgentType | undefined
  readonly mode?: string | undefined
  readonly roomPrefix?: string | undefined
}

/** The first row that fits decides. */
const RULES: readonly { readonly when: (hints: SessionHints) => boolean; readonly mode: SessionMode }[] = [
  { when: ({ agentType }) => agentType === 'interviewer', mode: 'interview' },
  { when: ({ agentType }) => agentType === 'reflection', mode: 'reflection' },
  { when: ({ mode }) => mode === 'onboarding', mode: 'interview' },
  { when: ({ roomPrefix }) => roomPrefix === 'share', mode: 'share' },
]

export const deriveSessionMode = (hints: SessionHints): SessionMode =>
  RULES.find(({ when }) => when(hints))?.mode ?? 'reflection'

/** What something is judged by. */
export interface Criteria {
  readonly condition: string
  readonly goodAnswers: readonly string[]
  readonly badAnswers: readonly string[]
}

/** What is judged: what the agent said, and all that was said and done around it. */
export interface Evidence {
  readonly answer: string
  readonly dialogue: string
}

export interface Verdict {
  readonly result: 'success' | 'failure' | 'unknown'
  readonly reason: string
}

export type Judge = (criteria: Criteria, evidence: Evidence, signal: AbortSignal) => Promise<Verdict>

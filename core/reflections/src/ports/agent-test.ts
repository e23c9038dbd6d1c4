import type { Json } from '@parley/contracts'

interface TestBasics {
  /** What it is found by again. */
  readonly name: string
  readonly variables: Readonly<Record<string, Json>>
  /** What was said before, ending with the person. */
  readonly history: readonly { readonly role: 'person' | 'agent'; readonly text: string }[]
}

/** What an agent is tried with at the provider. */
export type AgentTest =
  /** One answer, judged by a condition. */
  | (TestBasics & {
      readonly kind: 'answer'
      readonly condition: string
      readonly goodAnswers: readonly string[]
      readonly badAnswers: readonly string[]
    })
  /** Whether a tool is called, or not. */
  | (TestBasics & {
      readonly kind: 'tool'
      readonly toolId: string
      readonly expect: 'called' | 'not-called'
    })
  /** A whole conversation with a made-up person. */
  | (TestBasics & {
      readonly kind: 'simulation'
      readonly scenario: string
      readonly maxTurns: number
      readonly conditions: readonly string[]
      /** What tools answer in it, by their ids; a test reaches no server. */
      readonly mocks?: Readonly<Record<string, string>>
    })

export interface TestResult {
  readonly testId: string
  readonly testName: string
  /** `unfinished`: it had not ended by the deadline, or was called off. */
  readonly verdict: 'passed' | 'failed' | 'unfinished'
  /** What the judge said. */
  readonly reasons: readonly string[]
}

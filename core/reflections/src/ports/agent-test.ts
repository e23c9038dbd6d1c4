import type { Json } from '@parley/contracts'

interface TestBasics {
  /** Identifies the test at the provider. */
  readonly name: string
  readonly variables: Readonly<Record<string, Json>>
  /** The conversation so far; the last entry is the person's. */
  readonly history: readonly { readonly role: 'person' | 'agent'; readonly text: string }[]
}

/** A test of an agent at the provider. */
export type AgentTest =
  /** One answer, judged by a condition. */
  | (TestBasics & {
      readonly kind: 'answer'
      readonly condition: string
      readonly goodAnswers: readonly string[]
      readonly badAnswers: readonly string[]
    })
  /** Expects that a tool is called or not called. */
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
      /** The answers of tools by their ids, since a test reaches no server. */
      readonly mocks?: Readonly<Record<string, string>>
    })

export interface TestResult {
  readonly testId: string
  readonly testName: string
  /** `unfinished`: it did not end by the deadline, or was aborted. */
  readonly verdict: 'passed' | 'failed' | 'unfinished'
  /** The reasons of the judge. */
  readonly reasons: readonly string[]
}

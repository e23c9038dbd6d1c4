import { z } from 'zod'
import { SourceId } from './ids.ts'
import { CorrectionAccepted, EvidenceItem, ProposeCorrection } from './knowledge.ts'
import { strictObject } from './strict-object.ts'

/** The search results that a voice provider's agent gets. */
export const RetrievedEvidence = z.object({
  evidence: z.array(
    EvidenceItem.pick({ kind: true, text: true, place: true, corrects: true }).extend({
      source: z.object({ title: z.string() }),
    }),
  ),
  /** The time limit was reached before everything was searched. */
  partial: z.boolean().optional(),
  /** An instruction for the agent, if it may no longer use everything in its context. */
  message: z.string().optional(),
})
export type RetrievedEvidence = z.infer<typeof RetrievedEvidence>

export const IngestRequested = z.object({ sourceId: SourceId })

interface Action {
  /** For the model: what the action does, and when to use it. */
  readonly description: string
  /** For the model, too: every property is described. The voice provider's tools send only strings. */
  readonly input: z.ZodObject<Readonly<Record<string, z.ZodType<string | undefined>>>>
  readonly example: object
  /** The endpoint of the voice provider's agents. */
  readonly endpoint: {
    readonly summary: string
    readonly description: string
    readonly response: z.ZodType
    readonly responseDescription: string
    /** How long the provider waits for the response. */
    readonly timeoutSeconds: number
  }
  readonly labels: {
    /** Names a call in a transcript. */
    readonly call: string
    /** Completes "The agent can …". */
    readonly permission: string
  }
}

interface ReadingAction extends Action {
  /** Allowed to everybody, also off the record. */
  readonly effect: 'reads'
}

interface StoringAction extends Action {
  /** Allowed to roles with `mayStore`, in private sessions on the record, except interviews. */
  readonly effect: 'stores'
  /** What a person without permission says in an agent test. The agent must not call the action. */
  readonly deniedRequest: string
}

/**
 * The actions of a reflection's agent, by tool name. In a typed session an action is a tool of our engine, in a call a
 * tool of the voice provider. `ACTION_HANDLERS` in `core/reflections` carries them out.
 */
export const AGENT_ACTIONS = {
  'retrieve-context': {
    effect: 'reads',
    description:
      'Searches the sources for a question, and says where each passage comes from. Use it before you answer about facts.',
    input: strictObject({
      query: z.string().trim().min(1).max(1_000).describe('The question, in full, as a person would ask it'),
    }),
    example: { query: 'When was the observatory built?' },
    endpoint: {
      summary: 'Search the sources, for the agent of a running call',
      description: 'Responds within 700 ms, with partial results if necessary.',
      response: RetrievedEvidence,
      responseDescription: 'The evidence, best first',
      timeoutSeconds: 5,
    },
    labels: { call: 'Searched', permission: 'search its sources' },
  },
  'request-source-ingest': {
    effect: 'stores',
    description:
      'Submits something that the person said, to be learned after approval. Use it only when they ask you to remember it.',
    input: strictObject({
      text: z.string().trim().min(1).max(100_000).describe('The text to learn, in the words of the person'),
      title: z.string().trim().max(300).optional().describe('A title in a few words'),
    }),
    example: { text: 'I moved to Bergen in 2001.' },
    endpoint: {
      summary: 'Submit new information from a running call',
      description: 'Facts learned from it wait for approval.',
      response: IngestRequested,
      responseDescription: 'The id of the new source',
      timeoutSeconds: 10,
    },
    labels: { call: 'Suggested a fact', permission: 'suggest new facts (used once approved)' },
    deniedRequest: 'Keep this for good: the harbour master is called Olsen.',
  },
  'propose-fact-correction': {
    effect: 'stores',
    description:
      'Proposes that a known fact is wrong, and what is right. A person decides on it. Use it only when they say that something is wrong.',
    input: strictObject({
      fact: ProposeCorrection.shape.fact.describe('The wrong fact in words, or its id'),
      correction: ProposeCorrection.shape.correction.describe('The correction, as a sentence'),
    }),
    example: { fact: 'The observatory was built in 1954', correction: 'It was built in 1956' },
    endpoint: {
      summary: 'Propose a correction of a fact, from a running call',
      description: 'Creates a patch that waits for approval.',
      response: CorrectionAccepted,
      responseDescription: 'The id of the new patch',
      timeoutSeconds: 10,
    },
    labels: { call: 'Suggested a correction', permission: 'suggest corrections (used once approved)' },
    deniedRequest: 'You are wrong about your birthday. Put 1 May there instead.',
  },
} as const satisfies Readonly<Record<string, ReadingAction | StoringAction>>

export const AgentAction = z.enum(
  Object.keys(AGENT_ACTIONS) as [keyof typeof AGENT_ACTIONS, ...(keyof typeof AGENT_ACTIONS)[]],
)
export type AgentAction = z.infer<typeof AgentAction>

export type ActionInput<Name extends AgentAction> = z.infer<(typeof AGENT_ACTIONS)[Name]['input']>
export type ActionResponse<Name extends AgentAction> = z.infer<
  (typeof AGENT_ACTIONS)[Name]['endpoint']['response']
>

export const isReadOnlyAction = (action: AgentAction): boolean => AGENT_ACTIONS[action].effect === 'reads'

/** A record with one value for each action. */
export const recordByAction = <Value>(
  toValue: (action: AgentAction) => Value,
): Readonly<Record<AgentAction, Value>> =>
  Object.fromEntries(AgentAction.options.map((action) => [action, toValue(action)])) as Record<
    AgentAction,
    Value
  >

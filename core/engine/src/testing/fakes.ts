import type { ApprovalDecision, ToolCall, ToolOutcome } from '@parley/contracts'
import type { EventRelay, RelayInbound } from '../ports/event-relay.ts'
import type { ModelEvent, ModelPort, ModelRequest } from '../ports/model.ts'
import type { ToolRegistry } from '../ports/tools.ts'

/** The events of one step. */
export type ModelScript =
  | readonly ModelEvent[]
  | ((request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>)

/** A model that follows one script per step and records its requests. */
export function createScriptedModel(
  scripts: readonly ModelScript[],
  modelId = 'scripted',
  properties: Pick<ModelPort, 'contextWindow' | 'price'> = {},
) {
  const requests: ModelRequest[] = []
  const model: ModelPort = {
    provider: 'test',
    modelId,
    ...properties,
    async *stream(request, signal) {
      const script = scripts[requests.length]
      requests.push(request)
      if (!script) throw new Error(`the script has ${scripts.length} steps, and this is one more`)
      yield* typeof script === 'function' ? script(request, signal) : script
    },
  }
  return { ...model, asked: requests }
}

/** The script of a plain answer, one word per delta. */
export function createAnswerScript(text: string): readonly ModelEvent[] {
  const words = text.match(/\S+\s*/g) ?? []
  return [
    ...words.map((word): ModelEvent => ({ type: 'text', text: word })),
    { type: 'finish', reason: 'completed', usage: { inputTokens: 10, outputTokens: words.length } },
  ]
}

interface FakeTools {
  readonly declarations?: ToolRegistry['declarations']
  /** The target that a person must approve before the call runs; undefined if it needs no approval. */
  readonly findTargetToApprove?: (call: ToolCall) => string | undefined
  readonly run: (
    call: ToolCall,
    circumstances: { readonly signal: AbortSignal; readonly decision: ApprovalDecision | undefined },
  ) => Promise<ToolOutcome>
}

/** Tools without a policy: they run after any decision, and receive it. */
export const createFakeTools = ({
  declarations = [],
  findTargetToApprove,
  run,
}: FakeTools): ToolRegistry => ({
  declarations,
  async decide(call, { answer }) {
    const target = findTargetToApprove?.(call)
    if (target !== undefined && !answer) return { kind: 'asks', target, grant: { tool: call.name, target } }
    return {
      kind: 'allowed',
      decided: { by: answer ? 'person' : 'policy' },
      carryOut: async (signal) => ({ outcome: await run(call, { signal, decision: answer?.decision }) }),
    }
  },
})

type RelayMessage = 'stored' | 'text' | 'text-requested' | 'restarted'

/** In-memory relays between processes. Messages wait until the test delivers them. */
export function createMemoryRelays() {
  const ends = new Set<RelayEnd>()

  const open = () => {
    const end: RelayEnd = { waiting: [], inbound: undefined }
    ends.add(end)
    const send = (kind: RelayMessage, carry: RelayedLetter['carry']) => {
      if (!ends.has(end)) return
      for (const other of ends) if (other !== end) other.waiting.push({ kind, carry })
    }
    const relay: EventRelay = {
      notifyStored: (sessionId, upTo) => send('stored', (inbound) => inbound.onStored(sessionId, upTo)),
      notifyText: (sessionId, events) => send('text', (inbound) => inbound.onText(sessionId, events)),
      requestText: (sessionId) => send('text-requested', (inbound) => inbound.onTextRequested(sessionId)),
      connect(inbound) {
        end.inbound = inbound
      },
    }
    return {
      relay,
      /** Messages on their way to this process. */
      waiting: (): readonly RelayMessage[] => end.waiting.map(({ kind }) => kind),
      /** Delivers the next message to this process. */
      deliver(count = Number.POSITIVE_INFINITY) {
        for (const { carry } of end.waiting.splice(0, count)) if (end.inbound) carry(end.inbound)
      },
      /** Silently loses all messages of this kind. */
      drop(kind: RelayMessage) {
        end.waiting = end.waiting.filter((letter) => letter.kind !== kind)
      },
      /** Loses all messages, as a broken connection does, then notifies everyone. */
      breakOff() {
        end.waiting = []
        end.inbound?.onMissed()
        send('restarted', (inbound) => inbound.onMissed())
      },
      /** The process died. */
      leave: () => ends.delete(end),
    }
  }

  return { open }
}

interface RelayedLetter {
  readonly kind: RelayMessage
  readonly carry: (inbound: RelayInbound) => void
}

interface RelayEnd {
  waiting: RelayedLetter[]
  inbound: RelayInbound | undefined
}

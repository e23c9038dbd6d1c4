import type { ApprovalDecision, ToolCall, ToolOutcome } from '@parley/contracts'
import type { EventRelay, RelayInbound } from '../ports/event-relay.ts'
import type { ModelEvent, ModelPort, ModelRequest } from '../ports/model.ts'
import type { ToolRegistry } from '../ports/tools.ts'

export type Script =
  | readonly ModelEvent[]
  | ((request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>)

/** A model that follows one script per step and records its requests. */
export function scriptedModel(
  scripts: readonly Script[],
  modelId = 'scripted',
  given: Pick<ModelPort, 'contextWindow' | 'price'> = {},
) {
  const asked: ModelRequest[] = []
  const model: ModelPort = {
    provider: 'test',
    modelId,
    ...given,
    async *stream(request, signal) {
      const script = scripts[asked.length]
      asked.push(request)
      if (!script) throw new Error(`the script has ${scripts.length} steps, and this is one more`)
      yield* typeof script === 'function' ? script(request, signal) : script
    },
  }
  return { ...model, asked }
}

/** The script of a plain answer, one word per delta. */
export function answering(text: string): readonly ModelEvent[] {
  const words = text.match(/\S+\s*/g) ?? []
  return [
    ...words.map((word): ModelEvent => ({ type: 'text', text: word })),
    { type: 'finish', reason: 'completed', usage: { inputTokens: 10, outputTokens: words.length } },
  ]
}

interface FakeTools {
  readonly declarations?: ToolRegistry['declarations']
  /** The question to a person before the call runs; undefined if it needs none. */
  readonly asks?: (call: ToolCall) => string | undefined
  readonly run: (
    call: ToolCall,
    at: { readonly signal: AbortSignal; readonly decision: ApprovalDecision | undefined },
  ) => Promise<ToolOutcome>
}

/** Tools without a policy: they run after any decision, and receive it. */
export const fakeTools = ({ declarations = [], asks, run }: FakeTools): ToolRegistry => ({
  declarations,
  async decide(call, { answer }) {
    const target = asks?.(call)
    if (target !== undefined && !answer) return { kind: 'asks', target, grant: { tool: call.name, target } }
    return {
      kind: 'allowed',
      decided: { by: answer ? 'person' : 'policy' },
      carryOut: async (signal) => ({ outcome: await run(call, { signal, decision: answer?.decision }) }),
    }
  },
})

type RelayMessage = 'stored' | 'said' | 'asked' | 'restarted'

/** In-memory relays between processes. Messages wait until the test delivers them. */
export function memoryRelays() {
  const ends = new Set<End>()

  const open = () => {
    const end: End = { waiting: [], inbound: undefined }
    ends.add(end)
    const send = (kind: RelayMessage, carry: Letter['carry']) => {
      if (!ends.has(end)) return
      for (const other of ends) if (other !== end) other.waiting.push({ kind, carry })
    }
    const relay: EventRelay = {
      notifyStored: (sessionId, upTo) => send('stored', (inbound) => inbound.stored(sessionId, upTo)),
      notifyText: (sessionId, events) => send('said', (inbound) => inbound.said(sessionId, events)),
      ask: (sessionId) => send('asked', (inbound) => inbound.asked(sessionId)),
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
        end.inbound?.restarted()
        send('restarted', (inbound) => inbound.restarted())
      },
      /** The process died. */
      leave: () => ends.delete(end),
    }
  }

  return { open }
}

interface Letter {
  readonly kind: RelayMessage
  readonly carry: (inbound: RelayInbound) => void
}

interface End {
  waiting: Letter[]
  inbound: RelayInbound | undefined
}

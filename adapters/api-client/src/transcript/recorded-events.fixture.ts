import type {
  CallId,
  DurableContentPart,
  OpenTurn,
  SessionEvent,
  SessionMessage,
  ToolCall,
  TurnEvent,
  TurnId,
} from '@parley/contracts'
import fc from 'fast-check'
import {
  answered,
  call as anyCall,
  completed,
  continued,
  discarded,
  message,
  outcome,
  question,
  reasoning,
  requested,
  stamped,
  token,
} from './events.fixture.ts'

const arbitraryParts = (minLength: number) =>
  fc.array(fc.tuple(fc.constantFrom('text', 'reasoning'), fc.string({ minLength: 1, maxLength: 3 })), {
    minLength,
    maxLength: 5,
  })

/** A step with a tool call; discarded attempts before it have no effect. */
const step = fc.record({
  discardedParts: fc.option(arbitraryParts(1), { nil: undefined }),
  said: arbitraryParts(0),
  call: fc.constantFrom('free', 'allow', 'refuse'),
})

/** The end of a turn, or the state of the last one. */
const ending = fc.oneof(
  fc.record({ kind: fc.constantFrom('answered', 'stopped'), said: arbitraryParts(1) }),
  fc.record({ kind: fc.constantFrom('failed', 'speaking'), said: arbitraryParts(0) }),
  fc.record({ kind: fc.constantFrom('calling', 'waiting'), said: arbitraryParts(0) }),
)

/** How a call without an outcome is handled when the turn continues. */
const attempt = fc.record({ repeats: fc.boolean(), steps: fc.array(step, { maxLength: 2 }), ending })

/** A question and its attempts. `lost` sequence numbers were reserved by a dead process. */
const asking = fc.record({
  lost: fc.nat({ max: 3 }),
  attempts: fc.array(attempt, { minLength: 1, maxLength: 3 }),
})

export const session = fc.array(asking, { minLength: 1, maxLength: 3 })

export type Given<A> = A extends fc.Arbitrary<infer T> ? T : never
type Said = Given<ReturnType<typeof arbitraryParts>>
type Attempt = Given<typeof attempt>

/** One event, with the session's view and messages right after it. */
export interface RecordedEvent {
  readonly event: SessionEvent
  readonly view: { readonly lastSequence: number; readonly openTurn?: OpenTurn }
  readonly messages: readonly SessionMessage[]
}

/** The events and messages that the engine produces for such a session. */
export function recordEvents(questions: Given<typeof session>): readonly RecordedEvent[] {
  const { recorded, ...writer } = createWriter()
  for (const [index, { lost, attempts }] of questions.entries()) {
    const isLastQuestion = index === questions.length - 1
    let pending: ToolCall | undefined
    for (const [number, given] of attempts.entries()) {
      const isLast = isLastQuestion && number === attempts.length - 1
      writer.open(number === 0 ? 'new' : 'continued')
      if (pending) writer.answer(pending, given.repeats)
      pending = runAttempt(given, writer, { lost, isLast })
      if (isAnswered(given)) break
    }
  }
  return recorded
}

const isAnswered = ({ ending: { kind, said } }: Attempt) =>
  kind === 'answered' || (kind === 'stopped' && said.some(([type]) => type === 'text'))

type Writer = Omit<ReturnType<typeof createWriter>, 'recorded'>

/** Returns the call without an outcome, if any. */
function runAttempt(
  { steps, ending: { kind, said } }: Attempt,
  writer: Writer,
  { lost, isLast }: { lost: number; isLast: boolean },
): ToolCall | undefined {
  for (const { discardedParts, said: before, call: agreed } of steps) {
    if (discardedParts) writer.giveUp(discardedParts)
    const call = writer.call(before)
    if (agreed !== 'free') {
      writer.wait(call)
      writer.decide(call, agreed)
    }
    writer.answer(call, false)
  }
  switch (kind) {
    case 'answered':
      writer.keep(said, [])
      writer.end({ stopReason: 'completed' })
      return undefined
    case 'stopped':
      writer.keep(said, [], 'cancelled')
      writer.end({ stopReason: 'cancelled' })
      return undefined
    case 'failed':
      writer.keep(said, [], 'failed')
      writer.end({ stopReason: 'error' })
      return undefined
    case 'speaking':
      writer.say(said)
      if (!isLast) writer.die({ lost, isSpeaking: true })
      return undefined
    case 'calling':
    case 'waiting': {
      const call = writer.call(said)
      if (kind === 'waiting') writer.wait(call)
      if (isLast) return call
      if (kind === 'waiting') writer.end({ stopReason: 'cancelled' })
      else writer.die({ lost, isSpeaking: false })
      return call
    }
    default:
      return kind satisfies never
  }
}

function createWriter() {
  const recorded: RecordedEvent[] = []
  let messages: readonly SessionMessage[] = []
  let lastSequence = 0
  let openTurn: OpenTurn | undefined
  let number = 0
  let asked = 0
  let turns = 0
  let steps = 0
  let turnId = 'trn_0' as TurnId

  const put = (event: TurnEvent, isStored: boolean, from?: number) => {
    number += 1
    if (isStored) lastSequence = number
    recorded.push({
      event: stamped(number, event, from),
      view: { lastSequence, ...(openTurn && { openTurn }) },
      messages,
    })
  }
  const tell = (event: TurnEvent, from?: number) => put(event, true, from)
  const add = (given: Partial<SessionMessage>) => {
    messages = [...messages, message(messages.length + 1, given)]
  }
  const say = (said: Said) => {
    steps += 1
    for (const [type, text] of said) put((type === 'text' ? token : reasoning)(text, stepId(), turnId), false)
  }
  const stepId = () => `stp_${steps}`
  const keep = (said: Said, calls: readonly ToolCall[], cutShort?: 'cancelled' | 'failed') => {
    say(said)
    const content = [...runsOf(said), ...calls.map((call) => ({ type: 'tool_call' as const, call }))]
    if (content.length > 0) add({ role: 'assistant', content, ...(cutShort && { cutShort }) })
  }
  const tellCall = (call: ToolCall) => tell({ type: 'agent:tool_call', turnId, callId: call.id, call })

  return {
    recorded,
    say,
    keep,
    open(kind: 'new' | 'continued') {
      turns += 1
      turnId = `trn_${turns}` as TurnId
      openTurn = { turnId, state: 'running' }
      if (kind === 'new') {
        add({})
        asked = messages.length
      }
      tell((kind === 'new' ? question : continued)(asked, turnId))
    },
    giveUp(said: Said) {
      say(said)
      tell(discarded(stepId(), turnId))
    },
    call(said: Said): ToolCall {
      const call = { ...anyCall, id: `call-${turns}-${steps}` as CallId }
      keep(said, [call])
      tellCall(call)
      return call
    },
    wait(call: ToolCall) {
      openTurn = { turnId, state: 'waiting' }
      tell(requested('notes', turnId, call.id))
    },
    decide(call: ToolCall, decision: 'allow' | 'refuse') {
      openTurn = { turnId, state: 'running' }
      tell(answered(decision, turnId, call.id))
    },
    answer(call: ToolCall, isRepeated: boolean) {
      if (isRepeated) tellCall(call)
      add({ role: 'tool', content: [{ type: 'tool_result', callId: call.id, outcome }] })
      tell({ type: 'agent:tool_result', turnId, callId: call.id, outcome })
    },
    end(how: object) {
      openTurn = undefined
      tell(completed(how, turnId))
    },
    /** Another process ends the turn; its first event replaces the lost sequence numbers. */
    die({ lost, isSpeaking }: { lost: number; isSpeaking: boolean }) {
      number += lost
      const from = number > lastSequence ? lastSequence + 1 : undefined
      if (isSpeaking) tell(discarded(stepId(), turnId), from)
      openTurn = undefined
      tell(completed({ stopReason: 'error' }, turnId), isSpeaking ? undefined : from)
    },
  }
}

/** Splits a step into runs of text and reasoning. */
function runsOf(said: Said): readonly Extract<DurableContentPart, { type: 'text' | 'reasoning' }>[] {
  const runs: { type: 'text' | 'reasoning'; text: string }[] = []
  for (const [type, text] of said) {
    const last = runs.at(-1)
    if (last?.type === type) last.text += text
    else runs.push({ type, text })
  }
  return runs
}

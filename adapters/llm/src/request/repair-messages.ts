import type { CallId, ToolCall, ToolOutcome } from '@parley/contracts'
import type { LlmMessage, ContentPart } from '@parley/engine'

export type TextPart = Extract<ContentPart, { type: 'text' }>
export type MediaPart = Extract<ContentPart, { type: 'media' }>
export type SpokenPart = Extract<ContentPart, { type: 'text' | 'reasoning' | 'tool_call' }>

export interface Answer {
  readonly call: ToolCall
  readonly outcome: ToolOutcome
  /** What the call brought for the model to look at. */
  readonly media: readonly MediaPart[]
}

/** What every vendor takes: the person first and last, roles in turn, each call answered right after it. */
export type RepairedMessage =
  | { readonly role: 'user'; readonly content: readonly (TextPart | MediaPart)[] }
  | { readonly role: 'assistant'; readonly content: readonly SpokenPart[] }
  | { readonly role: 'tool'; readonly content: readonly Answer[] }

/** Any messages as a sequence that no vendor refuses. Messages of the system are no part of it. */
export function repairMessages(messages: readonly LlmMessage[]): readonly RepairedMessage[] {
  const ids = new CallIds()
  const repaired: Draft[] = []
  for (const { role, content } of messages) {
    if (role === 'system') continue
    const parts = content.filter(isSomething)
    if (role === 'assistant') {
      const said = parts.flatMap((part) => spoken(part, ids))
      if (said.length > 0) add(repaired, 'assistant', said)
      continue
    }
    const heard: (TextPart | MediaPart)[] = []
    let brought: MediaPart[] | undefined
    for (const part of parts) {
      if (part.type === 'tool_result') brought = answer(repaired, ids, part.callId, part.outcome)
      else if (part.type === 'media' && role === 'tool' && brought) brought.push(part)
      else if (part.type === 'text' || part.type === 'media') heard.push(part)
    }
    if (heard.length > 0) add(repaired, 'user', heard)
  }
  return bounded(repaired.flatMap(withAnswers))
}

type Draft =
  | { readonly role: 'user'; readonly content: (TextPart | MediaPart)[] }
  | {
      readonly role: 'assistant'
      readonly content: SpokenPart[]
      readonly results: Map<CallId, { readonly outcome: ToolOutcome; readonly media: MediaPart[] }>
    }

const NOT_KNOWN: Omit<Answer, 'call'> = {
  outcome: {
    kind: 'failed',
    code: 'cancelled',
    text: 'This call was cut short; whether it had an effect is not known.',
  },
  media: [],
}

const says = (text: string): RepairedMessage => ({ role: 'user', content: [{ type: 'text', text }] })

const isSomething = (part: ContentPart): boolean =>
  part.type !== 'text' || part.text.trim() !== '' || part.proof !== undefined

/** The parts that an assistant message may have; media is named in words instead. */
function spoken(part: ContentPart, ids: CallIds): readonly SpokenPart[] {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return [part]
    case 'tool_call':
      return [{ ...part, call: { ...part.call, id: ids.ofCall(part.call.id) } }]
    case 'media':
      return [{ type: 'text', text: `[${part.name ?? 'a file'}, ${part.mediaType}]` }]
    case 'tool_result':
      return []
    default:
      return part satisfies never
  }
}

/** Two messages of one role become one, but words after a call wait for its outcome. */
function add(
  repaired: Draft[],
  ...message: [role: 'user', (TextPart | MediaPart)[]] | [role: 'assistant', SpokenPart[]]
) {
  const last = repaired.at(-1)
  if (message[0] === 'user') {
    if (last?.role === 'user') last.content.push(...message[1])
    else repaired.push({ role: 'user', content: message[1] })
    return
  }
  const isOpen = last?.role === 'assistant' && !last.content.some((part) => part.type === 'tool_call')
  if (isOpen) last.content.push(...message[1])
  else repaired.push({ role: 'assistant', content: message[1], results: new Map() })
}

/** An outcome goes to its call; one without a call, or a second one, is left out. Returns where its media go. */
function answer(repaired: Draft[], ids: CallIds, callId: CallId, outcome: ToolOutcome): MediaPart[] {
  const media: MediaPart[] = []
  const id = ids.ofResult(callId)
  const asked = repaired.findLast(
    (message) =>
      message.role === 'assistant' &&
      message.content.some((part) => part.type === 'tool_call' && part.call.id === id),
  )
  if (asked?.role === 'assistant' && id && !asked.results.has(id)) asked.results.set(id, { outcome, media })
  return media
}

function withAnswers(draft: Draft): readonly RepairedMessage[] {
  if (draft.role === 'user') return [draft]
  const answers = draft.content.flatMap((part) =>
    part.type === 'tool_call' ? [{ call: part.call, ...(draft.results.get(part.call.id) ?? NOT_KNOWN) }] : [],
  )
  const message = { role: 'assistant', content: draft.content } as const
  return answers.length > 0 ? [message, { role: 'tool', content: answers }] : [message]
}

/** Vendors want the person to speak first, and not the assistant to have spoken last. */
function bounded(repaired: readonly RepairedMessage[]): readonly RepairedMessage[] {
  const first = repaired[0]
  if (!first) return [says('Begin.')]
  return [
    ...(first.role === 'user' ? [] : [says('(The conversation begins here.)')]),
    ...repaired,
    ...(repaired.at(-1)?.role === 'assistant' ? [says('Go on.')] : []),
  ]
}

/** Ids in the form that every vendor takes, each used once: some servers number their calls from one in every answer. */
class CallIds {
  readonly #used = new Set<string>()
  readonly #latest = new Map<CallId, CallId>()

  ofCall(given: CallId): CallId {
    const base = given.replace(/[^\w-]/g, '_').slice(0, 56) || 'call'
    let id = base
    for (let count = 2; this.#used.has(id); count += 1) id = `${base}_${count}`
    this.#used.add(id)
    this.#latest.set(given, id as CallId)
    return id as CallId
  }

  ofResult(given: CallId): CallId | undefined {
    return this.#latest.get(given)
  }
}

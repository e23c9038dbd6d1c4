import type { CallId, ToolCall, ToolOutcome } from '@parley/contracts'
import type { LlmMessage, ContentPart } from '@parley/engine'

export type TextPart = Extract<ContentPart, { type: 'text' }>
export type MediaPart = Extract<ContentPart, { type: 'media' }>
export type AssistantPart = Extract<ContentPart, { type: 'text' | 'reasoning' | 'tool_call' }>

export interface AnsweredCall {
  readonly call: ToolCall
  readonly outcome: ToolOutcome
  /** Pictures and files in the call's result. */
  readonly media: readonly MediaPart[]
}

/** Every vendor accepts this: the person speaks first and last, roles alternate, and each call is answered at once. */
export type RepairedMessage =
  | { readonly role: 'user'; readonly content: readonly (TextPart | MediaPart)[] }
  | { readonly role: 'assistant'; readonly content: readonly AssistantPart[] }
  | { readonly role: 'tool'; readonly content: readonly AnsweredCall[] }

/** Converts any messages to a sequence that every vendor accepts. Drops system messages. */
export function repairMessages(messages: readonly LlmMessage[]): readonly RepairedMessage[] {
  const ids = new UniqueCallIds()
  const repaired: DraftMessage[] = []
  for (const { role, content } of messages) {
    if (role === 'system') continue
    const parts = content.filter(hasContent)
    if (role === 'assistant') {
      const spoken = parts.flatMap((part) => toAssistantParts(part, ids))
      if (spoken.length > 0) addMessage(repaired, 'assistant', spoken)
      continue
    }
    const input: (TextPart | MediaPart)[] = []
    let resultMedia: MediaPart[] | undefined
    for (const part of parts) {
      if (part.type === 'tool_result') resultMedia = addResult(repaired, ids, part.callId, part.outcome)
      else if (part.type === 'media' && role === 'tool' && resultMedia) resultMedia.push(part)
      else if (part.type === 'text' || part.type === 'media') input.push(part)
    }
    if (input.length > 0) addMessage(repaired, 'user', input)
  }
  return addPersonAtEnds(repaired.flatMap(toRepairedMessages))
}

type DraftMessage =
  | { readonly role: 'user'; readonly content: (TextPart | MediaPart)[] }
  | {
      readonly role: 'assistant'
      readonly content: AssistantPart[]
      readonly results: Map<CallId, { readonly outcome: ToolOutcome; readonly media: MediaPart[] }>
    }

const UNKNOWN_OUTCOME: Omit<AnsweredCall, 'call'> = {
  outcome: {
    kind: 'failed',
    code: 'cancelled',
    text: 'This call was cut short; whether it had an effect is not known.',
  },
  media: [],
}

const createUserMessage = (text: string): RepairedMessage => ({
  role: 'user',
  content: [{ type: 'text', text }],
})

const hasContent = (part: ContentPart): boolean =>
  part.type !== 'text' || part.text.trim() !== '' || part.signature !== undefined

/** Only the parts that an assistant message may have; a text names its media. */
function toAssistantParts(part: ContentPart, ids: UniqueCallIds): readonly AssistantPart[] {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return [part]
    case 'tool_call':
      return [{ ...part, call: { ...part.call, id: ids.createId(part.call.id) } }]
    case 'media':
      return [{ type: 'text', text: `[${part.name ?? 'a file'}, ${part.mediaType}]` }]
    case 'tool_result':
      return []
    default:
      return part satisfies never
  }
}

/** Merges consecutive messages of one role. Text after a call starts a new message, which follows the outcome. */
function addMessage(
  repaired: DraftMessage[],
  ...message: [role: 'user', (TextPart | MediaPart)[]] | [role: 'assistant', AssistantPart[]]
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

/** Adds an outcome to its call; drops it if it has no call, or is a second one. Returns the list for its media. */
function addResult(
  repaired: DraftMessage[],
  ids: UniqueCallIds,
  callId: CallId,
  outcome: ToolOutcome,
): MediaPart[] {
  const media: MediaPart[] = []
  const id = ids.findId(callId)
  const caller = repaired.findLast(
    (message) =>
      message.role === 'assistant' &&
      message.content.some((part) => part.type === 'tool_call' && part.call.id === id),
  )
  if (caller?.role === 'assistant' && id && !caller.results.has(id))
    caller.results.set(id, { outcome, media })
  return media
}

function toRepairedMessages(draft: DraftMessage): readonly RepairedMessage[] {
  if (draft.role === 'user') return [draft]
  const answers = draft.content.flatMap((part) =>
    part.type === 'tool_call'
      ? [{ call: part.call, ...(draft.results.get(part.call.id) ?? UNKNOWN_OUTCOME) }]
      : [],
  )
  const message = { role: 'assistant', content: draft.content } as const
  return answers.length > 0 ? [message, { role: 'tool', content: answers }] : [message]
}

/** Vendors require that the person speaks first, and that the assistant does not speak last. */
function addPersonAtEnds(repaired: readonly RepairedMessage[]): readonly RepairedMessage[] {
  const first = repaired[0]
  if (!first) return [createUserMessage('Begin.')]
  return [
    ...(first.role === 'user' ? [] : [createUserMessage('(The conversation begins here.)')]),
    ...repaired,
    ...(repaired.at(-1)?.role === 'assistant' ? [createUserMessage('Continue.')] : []),
  ]
}

/** Unique ids that every vendor accepts: some servers number their calls from one in every answer. */
class UniqueCallIds {
  readonly #used = new Set<string>()
  readonly #latest = new Map<CallId, CallId>()

  createId(given: CallId): CallId {
    const base = given.replace(/[^\w-]/g, '_').slice(0, 56) || 'call'
    let id = base
    for (let count = 2; this.#used.has(id); count += 1) id = `${base}_${count}`
    this.#used.add(id)
    this.#latest.set(given, id as CallId)
    return id as CallId
  }

  findId(given: CallId): CallId | undefined {
    return this.#latest.get(given)
  }
}

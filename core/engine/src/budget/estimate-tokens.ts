import type { LlmMessage, ContentPart, ModelRequest } from '../ports/model.ts'

/** Tokens per message beside its text. */
const FRAME = 8

/** One picture or page, as vendors count a large one. */
const MEDIA = 2_000

/**
 * Estimates tokens for most models, and prefers too many to too few. About three ASCII characters make one token;
 * other scripts take one or more tokens per character.
 */
export function estimateTextTokens(text: string): number {
  let others = 0
  for (let place = 0; place < text.length; place += 1) if (text.charCodeAt(place) > 127) others += 1
  return Math.ceil((text.length - others) / 3 + others * 1.3)
}

/** Messages never change, so each is counted once. */
const counted = new WeakMap<LlmMessage['content'], number>()

export function estimateMessageTokens({ content }: Pick<LlmMessage, 'content'>): number {
  const known = counted.get(content)
  if (known !== undefined) return known
  const tokens = content.reduce((sum, part) => sum + estimatePartTokens(part), FRAME)
  counted.set(content, tokens)
  return tokens
}

export const estimateMessagesTokens = (messages: readonly Pick<LlmMessage, 'content'>[]): number =>
  messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0)

/** Everything beside the messages: the system prompt and the tool declarations. */
export const estimateFrameTokens = ({ system, tools }: Pick<ModelRequest, 'system' | 'tools'>): number =>
  estimateTextTokens(system) +
  FRAME +
  tools.reduce((sum, tool) => sum + estimateTextTokens(JSON.stringify(tool)), 0)

export const estimateRequestTokens = (request: ModelRequest): number =>
  estimateFrameTokens(request) + estimateMessagesTokens(request.messages)

function estimatePartTokens(part: ContentPart): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return estimateTextTokens(part.text)
    case 'tool_call':
      return FRAME + estimateTextTokens(JSON.stringify(part.call))
    case 'tool_result':
      return FRAME + estimateTextTokens(part.outcome.text)
    case 'media':
      return MEDIA
    default:
      return part satisfies never
  }
}

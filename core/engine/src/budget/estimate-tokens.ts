import type { Usage } from '@parley/contracts'
import type { LlmMessage, ContentPart, ModelRequest } from '../ports/model.ts'

/** Tokens of a message or part in addition to its text. */
const OVERHEAD_TOKENS = 8

/** One picture or page, as vendors count a large one. */
const MEDIA_TOKENS = 2_000

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
const countsByContent = new WeakMap<LlmMessage['content'], number>()

export function estimateMessageTokens({ content }: Pick<LlmMessage, 'content'>): number {
  const known = countsByContent.get(content)
  if (known !== undefined) return known
  const tokens = content.reduce((sum, part) => sum + estimatePartTokens(part), OVERHEAD_TOKENS)
  countsByContent.set(content, tokens)
  return tokens
}

export const estimateMessagesTokens = (messages: readonly Pick<LlmMessage, 'content'>[]): number =>
  messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0)

/** The tokens of a request without its messages: the system prompt and the tool declarations. */
export const estimateOverheadTokens = ({ system, tools }: Pick<ModelRequest, 'system' | 'tools'>): number =>
  estimateTextTokens(system) +
  OVERHEAD_TOKENS +
  tools.reduce((sum, tool) => sum + estimateTextTokens(JSON.stringify(tool)), 0)

export const estimateRequestTokens = (request: ModelRequest): number =>
  estimateOverheadTokens(request) + estimateMessagesTokens(request.messages)

function estimatePartTokens(part: ContentPart): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return estimateTextTokens(part.text)
    case 'tool_call':
      return OVERHEAD_TOKENS + estimateTextTokens(JSON.stringify(part.call))
    case 'tool_result':
      return OVERHEAD_TOKENS + estimateTextTokens(part.outcome.text)
    case 'media':
      return MEDIA_TOKENS
    default:
      return part satisfies never
  }
}

/** A step's usage as the provider reported it, or an estimate if it reported none or an impossible one. */
export function countStepUsage(
  reported: Usage | undefined,
  request: ModelRequest,
  { parts, calls }: { readonly parts: readonly ContentPart[]; readonly calls: readonly ContentPart[] },
): Usage {
  if (reported && isPlausible(reported)) return reported
  if (parts.length === 0 && calls.length === 0) return { inputTokens: 0, outputTokens: 0 }
  return {
    inputTokens: estimateRequestTokens(request),
    outputTokens: estimateMessagesTokens([{ content: parts }, { content: calls }]),
  }
}

/** More than any model uses in one step: larger reports are not trusted. */
const MAX_TOKENS = 50_000_000

function isPlausible({
  inputTokens,
  outputTokens,
  cachedInputTokens = 0,
  cacheWriteTokens = 0,
}: Usage): boolean {
  const counts = [inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens]
  const areCounts = counts.every((count) => Number.isInteger(count) && count >= 0 && count <= MAX_TOKENS)
  return areCounts && cachedInputTokens + cacheWriteTokens <= inputTokens
}

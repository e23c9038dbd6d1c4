import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider'
import type { ToolOutcome } from '@parley/contracts'
import type { ModelRequest } from '@parley/engine'
import type { Vendor } from '../vendors/vendor.ts'
import { broughtPart } from './media-part.ts'
import type { Answer } from './mend-messages.ts'

type ShownPart = LanguageModelV4FilePart | LanguageModelV4TextPart

/** The results of one step's calls, and after them what no result of this vendor can hold. */
export async function resultMessages(
  answers: readonly Answer[],
  vendor: Vendor,
  readMedia: ModelRequest['readMedia'],
): Promise<LanguageModelV4Message[]> {
  const shown = await Promise.all(
    answers.map(async (answer) => ({
      ...answer,
      parts: await Promise.all(answer.media.map((part) => broughtPart(part, vendor, readMedia))),
    })),
  )
  const results = shown.map(({ call, outcome, parts }) => ({
    type: 'tool-result' as const,
    toolCallId: call.id,
    toolName: call.name,
    output: isWithin(outcome, parts, vendor) ? contentOf(outcome, parts) : outputOf(outcome),
  }))
  const after = shown.flatMap(({ call, outcome, parts }) =>
    parts.length === 0 || isWithin(outcome, parts, vendor)
      ? []
      : [textPart(`[Attached by the result of ${call.name} (${call.id}), not by the person:]`), ...parts],
  )
  return [
    { role: 'tool', content: results },
    ...(after.length > 0 ? [{ role: 'user' as const, content: after }] : []),
  ]
}

/** A result that holds media cannot be marked as failed. */
const isWithin = ({ kind }: ToolOutcome, parts: readonly ShownPart[], { mediaInResults }: Vendor): boolean =>
  parts.length > 0 && mediaInResults === true && kind === 'ok'

/** All text in one part: Google's library makes a result of each. */
function contentOf(outcome: ToolOutcome, parts: readonly ShownPart[]): LanguageModelV4ToolResultOutput {
  const notes = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const files = parts.filter((part) => part.type === 'file')
  const text = [outcome.text, ...notes].filter((each) => each.trim() !== '').join('\n\n')
  return { type: 'content', value: [textPart(text || '(nothing)'), ...files] }
}

const outputOf = (outcome: ToolOutcome): LanguageModelV4ToolResultOutput =>
  outcome.kind === 'ok'
    ? { type: 'text', value: outcome.text || '(nothing)' }
    : { type: 'error-text', value: `Error ${outcome.code}: ${outcome.text}` }

const textPart = (text: string): LanguageModelV4TextPart => ({ type: 'text', text })

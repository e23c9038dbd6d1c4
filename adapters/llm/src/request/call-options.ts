import type {
  JSONObject,
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultOutput,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import type { Json, ToolOutcome } from '@parley/contracts'
import type { ContentPart, ModelRequest, ToolDeclaration } from '@parley/engine'
import type { LanguageModelSupport, Target } from '../vendors/vendor.ts'
import { broughtPart, mediaPart } from './media-part.ts'
import { type Answer, type RepairedMessage, type SpokenPart, repairMessages } from './repair-messages.ts'
import { replayable, signatureOf } from './signatures.ts'

/** A request as the vendor's library takes it. */
export async function callOptions(
  request: ModelRequest,
  target: Target,
): Promise<LanguageModelV4CallOptions> {
  const support = target.provider.vendor.languageModel
  const prompt = await promptOf(request, target)
  const effort = mayThink(prompt, support) ? request.reasoningEffort : undefined
  return {
    prompt,
    maxOutputTokens: request.maxTokens,
    providerOptions: { ...support.options, ...(effort && support.thinkingOptions) },
    ...(request.temperature !== undefined && { temperature: request.temperature }),
    ...(effort && { reasoning: effort }),
    ...(request.tools.length > 0 && { tools: request.tools.map(toolOf) }),
    ...(mayFormat(request) && {
      responseFormat: { type: 'json' as const, schema: request.outputSchema as ToolSchema },
    }),
  }
}

type ToolSchema = LanguageModelV4FunctionTool['inputSchema']

/** Not beside tools: some vendors refuse both at once. And only for objects, which is what all vendors can be held to. */
const mayFormat = ({ outputSchema, tools }: ModelRequest): boolean =>
  outputSchema?.['type'] === 'object' && tools.length === 0

const toolOf = ({ name, description, inputSchema }: ToolDeclaration) => ({
  type: 'function' as const,
  name,
  description,
  inputSchema: inputSchema as JSONObject,
})

/** False where the last calls are another model's, whose reasoning this vendor does not take and yet asks for. */
function mayThink(
  prompt: LanguageModelV4CallOptions['prompt'],
  { thinksBeforeCalls }: LanguageModelSupport,
): boolean {
  if (!thinksBeforeCalls || prompt.at(-1)?.role !== 'tool') return true
  const asked = prompt.findLast(({ role }) => role === 'assistant')
  return asked?.role === 'assistant' && asked.content.some(({ type }) => type === 'reasoning')
}

/** How many of the latest messages get a cache mark: the newest, and the one that the last request ended with. */
const CACHED_MESSAGES = 2

async function promptOf(request: ModelRequest, target: Target): Promise<LanguageModelV4Prompt> {
  const support = target.provider.vendor.languageModel
  const repaired = repairMessages(replayable(request.messages, target))
  const kept = messagesToCache(repaired)
  const system = systemOf(request)
  const messages = await Promise.all(
    repaired.map(async (message) => {
      const converted = await messagesOf(message, support, request.readMedia)
      const last = converted.at(-1)
      return last && kept.has(message) ? [...converted.slice(0, -1), withCacheMark(last, support)] : converted
    }),
  )
  const said = messages.flat().reduce(joined, [])
  return system === '' ? said : [withCacheMark({ role: 'system', content: system }, support), ...said]
}

/** What a call brought may come right before the person's next words, and roles take turns. */
function joined(messages: LanguageModelV4Message[], next: LanguageModelV4Message): LanguageModelV4Message[] {
  const last = messages.at(-1)
  if (last?.role === 'user' && next.role === 'user')
    messages[messages.length - 1] = { ...last, ...next, content: [...last.content, ...next.content] }
  else messages.push(next)
  return messages
}

/** What the system says in between has its place in the prompt, where every vendor takes it. */
function systemOf({ system, messages }: ModelRequest): string {
  const later = messages.flatMap(({ role, content }) =>
    role === 'system' ? content.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [],
  )
  return [system, ...later].filter((text) => text.trim() !== '').join('\n\n')
}

const messagesToCache = (repaired: readonly RepairedMessage[]): ReadonlySet<RepairedMessage> =>
  new Set(repaired.filter(({ role }) => role !== 'assistant').slice(-CACHED_MESSAGES))

const withCacheMark = (
  message: LanguageModelV4Message,
  { cacheMark }: LanguageModelSupport,
): LanguageModelV4Message => (cacheMark ? { ...message, providerOptions: cacheMark } : message)

async function messagesOf(
  message: RepairedMessage,
  support: LanguageModelSupport,
  readMedia: ModelRequest['readMedia'],
): Promise<LanguageModelV4Message[]> {
  switch (message.role) {
    case 'user':
      return [
        {
          role: 'user',
          content: await Promise.all(
            message.content.map(async (part) =>
              part.type === 'text'
                ? { type: 'text' as const, text: part.text }
                : mediaPart(part, support, readMedia),
            ),
          ),
        },
      ]
    case 'assistant':
      return [{ role: 'assistant', content: message.content.map((part) => spokenOf(part, support)) }]
    case 'tool':
      return resultMessages(message.content, support, readMedia)
    default:
      return message satisfies never
  }
}

function spokenOf(part: SpokenPart, support: LanguageModelSupport) {
  const signed = signedOptions(part, support)
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, text: part.text, ...signed }
    case 'tool_call': {
      const { id, name, input } = part.call
      return { type: 'tool-call' as const, toolCallId: id, toolName: name, input: objectOf(input), ...signed }
    }
    default:
      return part satisfies never
  }
}

function signedOptions(
  part: ContentPart,
  support: LanguageModelSupport,
): { providerOptions?: SharedV4ProviderOptions } {
  const signature = signatureOf(part)
  return signature ? { providerOptions: { [support.namespace]: signature } } : {}
}

/** Vendors take only objects; a model that wrote something else sees its own text. */
const objectOf = (input: Json): Record<string, Json> =>
  typeof input === 'object' && input !== null && !Array.isArray(input) ? input : { input }

type ShownPart = LanguageModelV4FilePart | LanguageModelV4TextPart

/** The results of one step's calls, and after them what no result of this vendor can hold. */
async function resultMessages(
  answers: readonly Answer[],
  support: LanguageModelSupport,
  readMedia: ModelRequest['readMedia'],
): Promise<LanguageModelV4Message[]> {
  const shown = await Promise.all(
    answers.map(async (answer) => ({
      ...answer,
      parts: await Promise.all(answer.media.map((part) => broughtPart(part, support, readMedia))),
    })),
  )
  const results = shown.map(({ call, outcome, parts }) => ({
    type: 'tool-result' as const,
    toolCallId: call.id,
    toolName: call.name,
    output: isWithin(outcome, parts, support) ? contentOf(outcome, parts) : outputOf(outcome),
  }))
  const after = shown.flatMap(({ call, outcome, parts }) =>
    parts.length === 0 || isWithin(outcome, parts, support)
      ? []
      : [textPart(`[Attached by the result of ${call.name} (${call.id}), not by the person:]`), ...parts],
  )
  return [
    { role: 'tool', content: results },
    ...(after.length > 0 ? [{ role: 'user' as const, content: after }] : []),
  ]
}

/** A result that holds media cannot be marked as failed. */
const isWithin = (
  { kind }: ToolOutcome,
  parts: readonly ShownPart[],
  { mediaInResults }: LanguageModelSupport,
): boolean => parts.length > 0 && mediaInResults === true && kind === 'ok'

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

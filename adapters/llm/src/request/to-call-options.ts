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
import type { ContentPart, Media, ModelRequest, ToolDeclaration } from '@parley/engine'
import { toJsonObject } from '../to-json-object.ts'
import type { LanguageModelSupport, ModelTarget } from '../vendors/vendor.ts'
import {
  type AnsweredCall,
  type MediaPart,
  type RepairedMessage,
  type AssistantPart,
  repairMessages,
} from './repair-messages.ts'
import { readSignature, keepOwnSignatures } from './signatures.ts'

/** Converts a request for the vendor's library. */
export async function toCallOptions(
  request: ModelRequest,
  target: ModelTarget,
): Promise<LanguageModelV4CallOptions> {
  const support = target.provider.vendor.languageModel
  const prompt = await toPrompt(request, target)
  const effort = mayThink(prompt, support) ? request.reasoningEffort : undefined
  return {
    prompt,
    maxOutputTokens: request.maxTokens,
    providerOptions: { ...support.options, ...(effort && support.thinkingOptions) },
    ...(request.temperature !== undefined && { temperature: request.temperature }),
    ...(effort && { reasoning: effort }),
    ...(request.tools.length > 0 && { tools: request.tools.map(toVendorTool) }),
    ...(mayRequestFormat(request) && {
      responseFormat: { type: 'json' as const, schema: request.outputSchema as ToolSchema },
    }),
  }
}

type ToolSchema = LanguageModelV4FunctionTool['inputSchema']

/** Some vendors refuse a format together with tools, and all of them support only objects. */
const mayRequestFormat = ({ outputSchema, tools }: ModelRequest): boolean =>
  outputSchema?.['type'] === 'object' && tools.length === 0

const toVendorTool = ({ name, description, inputSchema }: ToolDeclaration) => ({
  type: 'function' as const,
  name,
  description,
  inputSchema: inputSchema as JSONObject,
})

/** False if another model made the last calls: the vendor requires their reasoning, but rejects another model's. */
function mayThink(
  prompt: LanguageModelV4CallOptions['prompt'],
  { thinksBeforeCalls }: LanguageModelSupport,
): boolean {
  if (!thinksBeforeCalls || prompt.at(-1)?.role !== 'tool') return true
  const asked = prompt.findLast(({ role }) => role === 'assistant')
  return asked?.role === 'assistant' && asked.content.some(({ type }) => type === 'reasoning')
}

/** The messages with a cache mark: the newest one, and the one that ended the previous request. */
const CACHED_MESSAGES = 2

async function toPrompt(request: ModelRequest, target: ModelTarget): Promise<LanguageModelV4Prompt> {
  const support = target.provider.vendor.languageModel
  const repaired = repairMessages(keepOwnSignatures(request.messages, target))
  const cached = new Set(repaired.filter(({ role }) => role !== 'assistant').slice(-CACHED_MESSAGES))
  const system = joinSystemTexts(request)
  const messages = await Promise.all(
    repaired.map(async (message) => {
      const converted = await toVendorMessages(message, support, request.readMedia)
      const last = converted.at(-1)
      return last && cached.has(message)
        ? [...converted.slice(0, -1), addCacheMark(last, support)]
        : converted
    }),
  )
  const merged = messages.flat().reduce(mergeUserMessages, [])
  return system === '' ? merged : [addCacheMark({ role: 'system', content: system }, support), ...merged]
}

/** Merges consecutive user messages: a call's media may come right before the person's next message. */
function mergeUserMessages(
  messages: LanguageModelV4Message[],
  next: LanguageModelV4Message,
): LanguageModelV4Message[] {
  const last = messages.at(-1)
  if (last?.role === 'user' && next.role === 'user')
    messages[messages.length - 1] = { ...last, ...next, content: [...last.content, ...next.content] }
  else messages.push(next)
  return messages
}

/** Moves later system messages into the system prompt, where every vendor accepts them. */
function joinSystemTexts({ system, messages }: ModelRequest): string {
  const later = messages.flatMap(({ role, content }) =>
    role === 'system' ? content.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [],
  )
  return [system, ...later].filter((text) => text.trim() !== '').join('\n\n')
}

const addCacheMark = (
  message: LanguageModelV4Message,
  { cacheMark }: LanguageModelSupport,
): LanguageModelV4Message => (cacheMark ? { ...message, providerOptions: cacheMark } : message)

async function toVendorMessages(
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
                : showMedia(part, support, readMedia, embedText),
            ),
          ),
        },
      ]
    case 'assistant':
      return [{ role: 'assistant', content: message.content.map((part) => toAssistantPart(part, support)) }]
    case 'tool':
      return toResultMessages(message.content, support, readMedia)
    default:
      return message satisfies never
  }
}

function toAssistantPart(part: AssistantPart, support: LanguageModelSupport) {
  const signed = toSignedOptions(part, support)
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, text: part.text, ...signed }
    case 'tool_call': {
      const { id, name, input } = part.call
      return { type: 'tool-call' as const, toolCallId: id, toolName: name, input: toObject(input), ...signed }
    }
    default:
      return part satisfies never
  }
}

function toSignedOptions(
  part: ContentPart,
  support: LanguageModelSupport,
): { providerOptions?: SharedV4ProviderOptions } {
  const signature = readSignature(part)
  return signature ? { providerOptions: { [support.optionsKey]: signature } } : {}
}

/** Vendors accept only objects; any other input is wrapped in one. */
const toObject = (input: Json): Record<string, Json> => toJsonObject(input) ?? { input }

type ShownPart = LanguageModelV4FilePart | LanguageModelV4TextPart

/** The results of one step's calls, and a second message for media that this vendor's results cannot hold. */
async function toResultMessages(
  answers: readonly AnsweredCall[],
  support: LanguageModelSupport,
  readMedia: ModelRequest['readMedia'],
): Promise<LanguageModelV4Message[]> {
  const shown = await Promise.all(
    answers.map(async (answer) => ({
      ...answer,
      parts: await Promise.all(answer.media.map((part) => showMedia(part, support, readMedia, nameText))),
    })),
  )
  const results = shown.map(({ call, outcome, parts }) => ({
    type: 'tool-result' as const,
    toolCallId: call.id,
    toolName: call.name,
    output: goesIntoResult(outcome, parts, support) ? toContent(outcome, parts) : toOutput(outcome),
  }))
  const after = shown.flatMap(({ call, outcome, parts }) =>
    parts.length === 0 || goesIntoResult(outcome, parts, support)
      ? []
      : [
          createTextPart(`[Attached by the result of ${call.name} (${call.id}), not by the person:]`),
          ...parts,
        ],
  )
  return [
    { role: 'tool', content: results },
    ...(after.length > 0 ? [{ role: 'user' as const, content: after }] : []),
  ]
}

/** Whether the media go into the result. A result with media cannot be marked as failed. */
const goesIntoResult = (
  { kind }: ToolOutcome,
  parts: readonly ShownPart[],
  { mediaInResults }: LanguageModelSupport,
): boolean => parts.length > 0 && mediaInResults === true && kind === 'ok'

/** All text goes into one part: Google's library makes a result of each part. */
function toContent(outcome: ToolOutcome, parts: readonly ShownPart[]): LanguageModelV4ToolResultOutput {
  const notes = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const files = parts.filter((part) => part.type === 'file')
  const text = [outcome.text, ...notes].filter((each) => each.trim() !== '').join('\n\n')
  return { type: 'content', value: [createTextPart(text || '(nothing)'), ...files] }
}

const toOutput = (outcome: ToolOutcome): LanguageModelV4ToolResultOutput =>
  outcome.kind === 'ok'
    ? { type: 'text', value: outcome.text || '(nothing)' }
    : { type: 'error-text', value: `Error ${outcome.code}: ${outcome.text}` }

const createTextPart = (text: string): LanguageModelV4TextPart => ({ type: 'text', text })

const MAX_TEXT_LENGTH = 400_000

const IS_TEXT = /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|toml)$)/

type TextPresenter = (name: string, media: Media, part: MediaPart) => LanguageModelV4TextPart

/** The bytes if the vendor accepts them, otherwise a note. `showText` handles text files. */
async function showMedia(
  part: MediaPart,
  support: LanguageModelSupport,
  readMedia: ModelRequest['readMedia'],
  showText: TextPresenter,
): Promise<ShownPart> {
  const name = part.name ?? 'unnamed'
  const media = await readMedia?.(part.handle).catch(() => undefined)
  if (!media) return createNote(name, part.mediaType, 'is no longer available')
  if (IS_TEXT.test(media.mediaType)) return showText(name, media, part)
  const rule = support.media.find(({ type }) => type.test(media.mediaType))
  if (!rule) return createNote(name, media.mediaType, 'has a type that this model cannot read')
  if (media.bytes.byteLength > rule.maxBytes)
    return createNote(name, media.mediaType, 'is too large for this model')
  return {
    type: 'file',
    mediaType: media.mediaType,
    data: { type: 'data', data: media.bytes },
    ...(part.name !== undefined && { filename: toOneLine(part.name) }),
  }
}

const embedText: TextPresenter = (name, { bytes }) => {
  const whole = new TextDecoder().decode(bytes)
  const text =
    whole.length > MAX_TEXT_LENGTH ? `${whole.slice(0, MAX_TEXT_LENGTH)}\n[cut here: it is longer]` : whole
  return createTextPart(`<file path=${JSON.stringify(name)}>\n${text}\n</file>`)
}

/** A text file from a tool is only named: unlike other tool output, it is neither bounded nor fenced. */
const nameText: TextPresenter = (name, { mediaType }, { handle }) =>
  createNote(name, mediaType, `is text and not shown here; all of it: read_file ${handle}`)

const createNote = (name: string, mediaType: string, what: string): LanguageModelV4TextPart =>
  createTextPart(`[The file ${toOneLine(name)} (${toOneLine(mediaType)}) ${what}.]`)

const MAX_NAME_LENGTH = 100

/** Cleans an untrusted name, which must not imitate our own text. */
const toOneLine = (name: string): string =>
  name
    .replace(/[\p{C}\s[\]<>]+/gu, ' ')
    .trim()
    .slice(0, MAX_NAME_LENGTH)
    .toWellFormed()

import type { LanguageModelV4Message, LanguageModelV4Prompt, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { Json } from '@parley/contracts'
import type { ContentPart, ModelRequest } from '@parley/engine'
import type { Target, Vendor } from '../vendors/vendor.ts'
import { mediaPart } from './media-part.ts'
import { type MendedMessage, mendMessages, type SpokenPart } from './mend-messages.ts'
import { replayable, signatureOf } from './replayable.ts'
import { resultMessages } from './result-messages.ts'

/** How many of the latest messages the vendor is told to keep: the newest, and the one that the last request ended with. */
const KEPT_MESSAGES = 2

export async function promptOf(request: ModelRequest, target: Target): Promise<LanguageModelV4Prompt> {
  const { vendor } = target
  const mended = mendMessages(replayable(request.messages, target))
  const kept = keptOf(mended)
  const system = systemOf(request)
  const messages = await Promise.all(
    mended.map(async (message) => {
      const converted = await messagesOf(message, vendor, request.readMedia)
      const last = converted.at(-1)
      return last && kept.has(message) ? [...converted.slice(0, -1), keeping(last, vendor)] : converted
    }),
  )
  const said = messages.flat().reduce(joined, [])
  return system === '' ? said : [keeping({ role: 'system', content: system }, vendor), ...said]
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

const keptOf = (mended: readonly MendedMessage[]): ReadonlySet<MendedMessage> =>
  new Set(mended.filter(({ role }) => role !== 'assistant').slice(-KEPT_MESSAGES))

const keeping = (message: LanguageModelV4Message, { keepPrompt }: Vendor): LanguageModelV4Message =>
  keepPrompt ? { ...message, providerOptions: keepPrompt } : message

async function messagesOf(
  message: MendedMessage,
  vendor: Vendor,
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
                : mediaPart(part, vendor, readMedia),
            ),
          ),
        },
      ]
    case 'assistant':
      return [{ role: 'assistant', content: message.content.map((part) => spokenOf(part, vendor)) }]
    case 'tool':
      return resultMessages(message.content, vendor, readMedia)
    default:
      return message satisfies never
  }
}

function spokenOf(part: SpokenPart, vendor: Vendor) {
  const signed = signedOptions(part, vendor)
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

function signedOptions(part: ContentPart, vendor: Vendor): { providerOptions?: SharedV4ProviderOptions } {
  const signature = signatureOf(part)
  return signature ? { providerOptions: { [vendor.namespace]: signature } } : {}
}

/** Vendors take objects alone; a model that wrote something else sees what it wrote. */
const objectOf = (input: Json): Record<string, Json> =>
  typeof input === 'object' && input !== null && !Array.isArray(input) ? input : { input }

import type {
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider'
import type { CallId, Json, Usage } from '@parley/contracts'
import type { ModelEvent } from '@parley/engine'
import { toPartSignature } from '../request/signatures.ts'
import type { ModelTarget } from '../vendors/vendor.ts'

type OutputEvent = Exclude<ModelEvent, { type: 'failure' | 'finish' }>

type BlockType = 'text' | 'reasoning'

const NOTHING: readonly OutputEvent[] = []

/** Converts a stream's parts to our events. A signature may come with any part of a block. */
export function createPartConverter(target: ModelTarget) {
  const { optionsKey, signatureKeys } = target.provider.vendor.languageModel
  let signature: Record<string, Json> | undefined
  let hasText = false

  const collect = (type: BlockType, metadata: SharedV4ProviderMetadata | undefined) => {
    const picked = metadata && pickStrings(metadata[optionsKey], signatureKeys[type])
    if (picked) signature = { ...signature, ...picked }
  }

  const begin = (type: BlockType, metadata: SharedV4ProviderMetadata | undefined) => {
    signature = undefined
    hasText = false
    collect(type, metadata)
    return NOTHING
  }

  const end = (type: BlockType, metadata: SharedV4ProviderMetadata | undefined) => {
    collect(type, metadata)
    if (!signature) return NOTHING
    const signed: OutputEvent = { type: 'signature', signature: toPartSignature(target, signature) }
    signature = undefined
    // A signature without text must not attach to the text before it.
    return hasText ? [signed] : [{ type, text: '' } as const, signed]
  }

  const delta = (
    type: BlockType,
    text: string,
    metadata: SharedV4ProviderMetadata | undefined,
  ): readonly OutputEvent[] => {
    collect(type, metadata)
    if (text === '') return NOTHING
    hasText = true
    return [{ type, text }]
  }

  return (part: LanguageModelV4StreamPart): readonly OutputEvent[] => {
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- libraries stream many parts that we ignore
    switch (part.type) {
      case 'text-delta':
        return delta('text', part.delta, part.providerMetadata)
      case 'reasoning-delta':
        return delta('reasoning', part.delta, part.providerMetadata)
      case 'text-start':
        return begin('text', part.providerMetadata)
      case 'reasoning-start':
        return begin('reasoning', part.providerMetadata)
      case 'text-end':
        return end('text', part.providerMetadata)
      case 'reasoning-end':
        return end('reasoning', part.providerMetadata)
      case 'tool-call': {
        if (part.providerExecuted) return NOTHING
        const signed = pickStrings(part.providerMetadata?.[optionsKey], signatureKeys.text)
        const call = {
          id: (part.toolCallId.slice(0, 256) || 'call') as CallId,
          name: part.toolName || 'unnamed',
          input: parseInput(part.input),
        }
        return [{ type: 'tool_call', call, ...(signed && { signature: toPartSignature(target, signed) }) }]
      }
      default:
        return NOTHING
    }
  }
}

/** Invalid JSON stays text: the tool refuses it, and tells the model why. */
function parseInput(written: string): Json {
  if (written.trim() === '') return {}
  try {
    const input = JSON.parse(written) as Json
    return isShallow(input, DEEPEST) ? input : 'nested too deep'
  } catch {
    return written
  }
}

/** Deeper input would overflow the stack of recursive code. */
const DEEPEST = 64

function isShallow(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1))
}

function pickStrings(metadata: SharedV4ProviderMetadata[string] | undefined, keys: readonly string[]) {
  if (!metadata) return undefined
  const picked: Record<string, Json> = {}
  for (const key of keys) {
    const value = metadata[key]
    if (typeof value === 'string') picked[key] = value
  }
  return Object.keys(picked).length > 0 ? picked : undefined
}

/** Undefined if the provider did not count; every request has tokens. */
export function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage | undefined {
  const input = toValidCount(inputTokens.total)
  const output = toValidCount(outputTokens.total)
  if (input === undefined || output === undefined || input + output === 0) return undefined
  const cached = toValidCount(inputTokens.cacheRead)
  const written = toValidCount(inputTokens.cacheWrite)
  return {
    inputTokens: input,
    outputTokens: output,
    ...(cached && { cachedInputTokens: cached }),
    ...(written && { cacheWriteTokens: written }),
  }
}

const toValidCount = (count: number | undefined) =>
  count !== undefined && Number.isSafeInteger(count) && count >= 0 ? count : undefined

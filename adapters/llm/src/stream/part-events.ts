import type {
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider'
import type { CallId, Json, Usage } from '@parley/contracts'
import type { ModelEvent } from '@parley/engine'
import { proofBy } from '../request/signatures.ts'
import type { Target } from '../vendors/vendor.ts'

type Spoken = Exclude<ModelEvent, { type: 'failure' | 'finish' }>

/** What signs reasoning, and what signs text and calls, at any vendor. */
const REASONING_SIGNATURES = [
  'signature',
  'redactedData',
  'itemId',
  'reasoningEncryptedContent',
  'thoughtSignature',
]
const OTHER_SIGNATURES = ['thoughtSignature']

const NOTHING: readonly Spoken[] = []

/** Turns a stream's parts into our events. A signature comes with a block's start, in its midst or at its end. */
export function partEvents(target: Target) {
  const { namespace } = target.provider.vendor.languageModel
  let signature: Record<string, Json> | undefined
  let hasSpoken = false

  const collect = (metadata: SharedV4ProviderMetadata | undefined, keys: readonly string[]) => {
    const found = metadata && pick(metadata[namespace], keys)
    if (found) signature = { ...signature, ...found }
  }

  const begin = (metadata: SharedV4ProviderMetadata | undefined, keys: readonly string[]) => {
    signature = undefined
    hasSpoken = false
    collect(metadata, keys)
    return NOTHING
  }

  const end = (
    type: 'text' | 'reasoning',
    metadata: SharedV4ProviderMetadata | undefined,
    keys: readonly string[],
  ) => {
    collect(metadata, keys)
    if (!signature) return NOTHING
    const proof: Spoken = { type: 'proof', proof: proofBy(target, signature) }
    signature = undefined
    // A signature without words must not be taken for the one of the text before.
    return hasSpoken ? [proof] : [{ type, text: '' } as const, proof]
  }

  const delta = (
    type: 'text' | 'reasoning',
    text: string,
    metadata: SharedV4ProviderMetadata | undefined,
    keys: readonly string[],
  ): readonly Spoken[] => {
    if (metadata) collect(metadata, keys)
    if (text === '') return NOTHING
    hasSpoken = true
    return [{ type, text }]
  }

  return (part: LanguageModelV4StreamPart): readonly Spoken[] => {
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- libraries stream much that is not ours to tell
    switch (part.type) {
      case 'text-delta':
        return delta('text', part.delta, part.providerMetadata, OTHER_SIGNATURES)
      case 'reasoning-delta':
        return delta('reasoning', part.delta, part.providerMetadata, REASONING_SIGNATURES)
      case 'text-start':
        return begin(part.providerMetadata, OTHER_SIGNATURES)
      case 'reasoning-start':
        return begin(part.providerMetadata, REASONING_SIGNATURES)
      case 'text-end':
        return end('text', part.providerMetadata, OTHER_SIGNATURES)
      case 'reasoning-end':
        return end('reasoning', part.providerMetadata, REASONING_SIGNATURES)
      case 'tool-call': {
        if (part.providerExecuted) return NOTHING
        const signed = pick(part.providerMetadata?.[namespace], OTHER_SIGNATURES)
        const call = {
          id: idOf(part.toolCallId),
          name: part.toolName || 'unnamed',
          input: inputOf(part.input),
        }
        return [{ type: 'tool_call', call, ...(signed && { proof: proofBy(target, signed) }) }]
      }
      default:
        return NOTHING
    }
  }
}

const idOf = (given: string) => (given.slice(0, 256) || 'call') as CallId

/** Invalid JSON is passed on as text: its tool refuses it, and the model reads why. */
function inputOf(written: string): Json {
  if (written.trim() === '') return {}
  try {
    const input = JSON.parse(written) as Json
    return isWithin(input, DEEPEST) ? input : 'nested too deep'
  } catch {
    return written
  }
}

/** Deeper ones would end whoever walks through them. */
const DEEPEST = 64

function isWithin(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((inner) => isWithin(inner, levels - 1))
}

function pick(metadata: SharedV4ProviderMetadata[string] | undefined, keys: readonly string[]) {
  if (!metadata) return undefined
  const found: Record<string, Json> = {}
  for (const key of keys) {
    const value = metadata[key]
    if (typeof value === 'string') found[key] = value
  }
  return Object.keys(found).length > 0 ? found : undefined
}

/** Undefined where the provider did not count; no request has no tokens at all. */
export function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage | undefined {
  const input = countOf(inputTokens.total)
  const output = countOf(outputTokens.total)
  if (input === undefined || output === undefined || input + output === 0) return undefined
  const cached = countOf(inputTokens.cacheRead)
  const written = countOf(inputTokens.cacheWrite)
  return {
    inputTokens: input,
    outputTokens: output,
    ...(cached && { cachedInputTokens: cached }),
    ...(written && { cacheWriteTokens: written }),
  }
}

const countOf = (count: number | undefined) =>
  count !== undefined && Number.isSafeInteger(count) && count >= 0 ? count : undefined

import type { Json } from '@parley/contracts'
import type { LlmMessage, ContentPart } from '@parley/engine'
import { toJsonObject } from '../to-json-object.ts'
import type { ModelTarget } from '../vendors/vendor.ts'

type PartSignature = NonNullable<ContentPart['signature']>

/** The messages for one model: without the signatures of other models, and without their reasoning. */
export function keepOwnSignatures(
  messages: readonly LlmMessage[],
  target: ModelTarget,
): readonly LlmMessage[] {
  return messages.map((message) => ({
    ...message,
    content: message.content.flatMap((part) => {
      if (isSignedBy(part, target)) return [part]
      if (part.type === 'reasoning') return []
      const { signature: _, ...plain } = part
      return [plain]
    }),
  }))
}

/** Wraps a vendor's signature for storage in a part. Vendors bind it to the model. */
export const toPartSignature = (
  { provider, modelId }: ModelTarget,
  signature: Record<string, Json>,
): PartSignature => ({
  provider: provider.name,
  data: { kind: provider.kind, modelId, signature },
})

/** The signature to return to the vendor. */
export function readSignature({ signature }: ContentPart): Record<string, Json> | undefined {
  const data = signature && toJsonObject(signature.data)
  return data && toJsonObject(data.signature)
}

function isSignedBy({ signature }: ContentPart, { provider, modelId }: ModelTarget): boolean {
  if (!signature || signature.provider !== provider.name) return false
  const data = toJsonObject(signature.data)
  return data?.kind === provider.kind && data.modelId === modelId
}

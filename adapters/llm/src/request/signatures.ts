import type { Json } from '@parley/contracts'
import type { LlmMessage, ContentPart } from '@parley/engine'
import { toRecord } from '../to-record.ts'
import type { ModelTarget } from '../vendors/vendor.ts'

type PartProof = NonNullable<ContentPart['proof']>

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
      const { proof: _, ...plain } = part
      return [plain]
    }),
  }))
}

/** Wraps a vendor's signature for storage in a part. Vendors bind it to the model. */
export const toProof = ({ provider, modelId }: ModelTarget, signature: Record<string, Json>): PartProof => ({
  provider: provider.name,
  data: { kind: provider.kind, modelId, signature },
})

/** The signature to return to the vendor. */
export function readSignature({ proof }: ContentPart): Record<string, Json> | undefined {
  const data = proof && toRecord(proof.data)
  return data && toRecord(data.signature)
}

function isSignedBy({ proof }: ContentPart, { provider, modelId }: ModelTarget): boolean {
  if (!proof || proof.provider !== provider.name) return false
  const data = toRecord(proof.data)
  return data?.kind === provider.kind && data.modelId === modelId
}

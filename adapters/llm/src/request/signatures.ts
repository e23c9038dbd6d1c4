import type { Json } from '@parley/contracts'
import type { LlmMessage, ContentPart } from '@parley/engine'
import { asRecord } from '../as-record.ts'
import type { Target } from '../vendors/vendor.ts'

type Proof = NonNullable<ContentPart['proof']>

/** The messages for one model: without the signatures of other models, and without their reasoning. */
export function withOwnSignatures(messages: readonly LlmMessage[], target: Target): readonly LlmMessage[] {
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
export const toProof = ({ provider, modelId }: Target, signature: Record<string, Json>): Proof => ({
  provider: provider.name,
  data: { kind: provider.kind, modelId, signature },
})

/** The signature to return to the vendor. */
export function signatureOf({ proof }: ContentPart): Record<string, Json> | undefined {
  const data = proof && asRecord(proof.data)
  return data && asRecord(data.signature)
}

function isSignedBy({ proof }: ContentPart, { provider, modelId }: Target): boolean {
  if (!proof || proof.provider !== provider.name) return false
  const data = asRecord(proof.data)
  return data?.kind === provider.kind && data.modelId === modelId
}

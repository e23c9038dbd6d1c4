import type { Json } from '@parley/contracts'
import type { LlmMessage, ContentPart } from '@parley/engine'
import type { Target } from '../vendors/vendor.ts'

type Proof = NonNullable<ContentPart['proof']>

/** Messages as one model may see them: reasoning with its own signature, nobody else's signature on anything. */
export function replayable(messages: readonly LlmMessage[], target: Target): readonly LlmMessage[] {
  return messages.map((message) => ({
    ...message,
    content: message.content.flatMap((part) => {
      if (signedBy(part, target)) return [part]
      if (part.type === 'reasoning') return []
      const { proof: _, ...plain } = part
      return [plain]
    }),
  }))
}

/** A signature as it goes with a part until it is given back. Vendors bind it to the model. */
export const proofBy = ({ provider, modelId }: Target, signature: Record<string, Json>): Proof => ({
  provider: provider.name,
  data: { kind: provider.kind, modelId, signature },
})

/** What the vendor's library gave to be given back. */
export function signatureOf({ proof }: ContentPart): Record<string, Json> | undefined {
  const data = proof && recordOf(proof.data)
  return data && recordOf(data.signature)
}

function signedBy({ proof }: ContentPart, { provider, modelId }: Target): boolean {
  if (!proof || proof.provider !== provider.name) return false
  const data = recordOf(proof.data)
  return data?.kind === provider.kind && data.modelId === modelId
}

const recordOf = (value: Json | undefined): Record<string, Json> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined

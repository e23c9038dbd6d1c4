import { z } from 'zod'
import { PatchId, SourceId } from './ids.ts'
import { EvidenceItem, ProposeCorrection } from './knowledge.ts'
import { strictObject } from './strict-object.ts'

/** What every call of a tool says of where it comes from. Whether that is so is decided, not parsed. */
const proof = {
  conversation_id: z.string().max(200),
  conversation_bind_sig: z.string().max(1_000),
  provider_conversation_id: z.string().max(200),
}

export const CallRetrieveContext = strictObject({ ...proof, query: z.string().trim().min(1).max(1_000) })
export const CallRequestSourceIngest = strictObject({
  ...proof,
  title: z.string().trim().max(300).optional(),
  text: z.string().trim().min(1).max(100_000),
})
export const CallProposeFactCorrection = strictObject({ ...proof, ...ProposeCorrection.shape })

/** What a voice provider's agent is told: the words, and where they stand. */
export const ToldEvidence = z.object({
  evidence: z.array(
    EvidenceItem.pick({ kind: true, text: true, place: true, corrects: true }).extend({
      source: z.object({ title: z.string() }),
    }),
  ),
  /** The time was up before all was looked through. */
  partial: z.boolean().optional(),
  /** What the agent is to do, where it knows more than it may still tell. */
  message: z.string().optional(),
})
export type ToldEvidence = z.infer<typeof ToldEvidence>

export const IngestRequested = z.object({ sourceId: SourceId })
export const CorrectionProposed = z.object({ patchId: PatchId })

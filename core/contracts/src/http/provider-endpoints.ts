import { z } from 'zod'
import { PatchId, SourceId } from '../ids.ts'
import { EvidenceItem, ProposeCorrection } from '../knowledge.ts'
import { strictObject } from '../strict-object.ts'
import { storable } from '../text.ts'
import { body, endpoints, json } from './endpoint.ts'

/** How a call proves which conversation it is from. */
const CALL = {
  conversation_id: 'ses_4k2m9q7w1x8z5c3v6b0n',
  conversation_bind_sig: '0'.repeat(64),
  provider_conversation_id: 'conv_made-up',
}

/** Sent with every tool call. A handler verifies it. */
const callerProof = {
  conversation_id: z.string().max(200),
  conversation_bind_sig: z.string().max(1_000),
  provider_conversation_id: z.string().max(200),
}

export const CallRetrieveContext = strictObject({
  ...callerProof,
  query: z.string().trim().min(1).max(1_000),
})
export const CallRequestSourceIngest = strictObject({
  ...callerProof,
  title: z.string().trim().max(300).optional(),
  text: z.string().trim().min(1).max(100_000),
})
export const CallProposeFactCorrection = strictObject({ ...callerProof, ...ProposeCorrection.shape })

/** The search results that a voice provider's agent gets. */
export const RetrievedEvidence = z.object({
  evidence: z.array(
    EvidenceItem.pick({ kind: true, text: true, place: true, corrects: true }).extend({
      source: z.object({ title: z.string() }),
    }),
  ),
  /** The time limit was reached before everything was searched. */
  partial: z.boolean().optional(),
  /** An instruction for the agent, if it may no longer use everything in its context. */
  message: z.string().optional(),
})
export type RetrievedEvidence = z.infer<typeof RetrievedEvidence>

export const IngestRequested = z.object({ sourceId: SourceId })
export const CorrectionProposed = z.object({ patchId: PatchId })

export const PROVIDER = endpoints('provider', {
  retrieveContext: {
    method: 'post',
    path: '/v1/tools/retrieve-context',
    access: 'tool-secret',
    summary: 'Search the sources, for the agent of a running call',
    description: 'Responds within 700 ms, with partial results if necessary.',
    request: {
      body: body(storable(CallRetrieveContext), { ...CALL, query: 'When was the observatory built?' }),
    },
    responses: { 200: json(RetrievedEvidence, 'The evidence, best first') },
  },
  requestSourceIngest: {
    method: 'post',
    path: '/v1/tools/request-source-ingest',
    access: 'tool-secret',
    idempotent: true,
    summary: 'Submit new information from a running call',
    description: 'Facts learned from it wait for approval.',
    request: {
      body: body(storable(CallRequestSourceIngest), { ...CALL, text: 'I moved to Bergen in 2001.' }),
    },
    responses: { 202: json(IngestRequested, 'The id of the new source') },
  },
  proposeFactCorrection: {
    method: 'post',
    path: '/v1/tools/propose-fact-correction',
    access: 'tool-secret',
    idempotent: true,
    summary: 'Propose a correction of a fact, from a running call',
    description: 'Creates a patch that waits for approval.',
    request: {
      body: body(storable(CallProposeFactCorrection), {
        ...CALL,
        fact: 'The observatory was built in 1954',
        correction: 'It was built in 1956',
      }),
    },
    responses: { 202: json(CorrectionProposed, 'The id of the new patch') },
  },
  receiveElevenLabsWebhook: {
    method: 'post',
    path: '/v1/webhooks/elevenlabs',
    access: 'webhook-signature',
    summary: 'Receive a webhook of the voice provider',
    description: 'Signed by the provider. A call that is not ours gets a success response and is ignored.',
    responses: { 200: { description: 'Received' } },
  },
})

import { z } from 'zod'

const prefixed = (prefix: string, of: string) =>
  z
    .string()
    .max(64)
    .regex(new RegExp(`^${prefix}[a-z0-9]+$`), `a ${of} id starts with ${prefix}`)
    .meta({ example: `${prefix}4k2m9q7w1x8z5c3v6b0n` })

export const SessionId = prefixed('ses_', 'session').brand('SessionId')
export type SessionId = z.infer<typeof SessionId>

export const MessageId = prefixed('msg_', 'message').brand('MessageId')
export type MessageId = z.infer<typeof MessageId>

export const TurnId = prefixed('trn_', 'turn').brand('TurnId')
export type TurnId = z.infer<typeof TurnId>

/** One answer of the model within a turn; a turn with tools has several. */
export const StepId = prefixed('stp_', 'step').brand('StepId')
export type StepId = z.infer<typeof StepId>

/** Given by the provider, so its form is not ours to say. */
export const CallId = z.string().min(1).max(256).brand('CallId')
export type CallId = z.infer<typeof CallId>

export const PersonId = prefixed('per_', 'person').brand('PersonId')
export type PersonId = z.infer<typeof PersonId>

export const ReflectionId = prefixed('rfl_', 'reflection').brand('ReflectionId')
export type ReflectionId = z.infer<typeof ReflectionId>

export const NamespaceId = prefixed('nsp_', 'namespace').brand('NamespaceId')
export type NamespaceId = z.infer<typeof NamespaceId>

export const SourceId = prefixed('src_', 'source').brand('SourceId')
export type SourceId = z.infer<typeof SourceId>

export const FactId = prefixed('fct_', 'fact').brand('FactId')
export type FactId = z.infer<typeof FactId>

export const PatchId = prefixed('pat_', 'patch').brand('PatchId')
export type PatchId = z.infer<typeof PatchId>

/** One run of a source's bytes through all phases. */
export const IngestRunId = prefixed('ing_', 'ingest run').brand('IngestRunId')
export type IngestRunId = z.infer<typeof IngestRunId>

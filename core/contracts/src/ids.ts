import { z } from 'zod'

const createIdSchema = (prefix: string, kind: string) =>
  z
    .string()
    .max(64)
    .regex(new RegExp(`^${prefix}[a-z0-9]+$`), `a ${kind} id starts with ${prefix}`)
    .meta({ example: `${prefix}4k2m9q7w1x8z5c3v6b0n` })

export const SessionId = createIdSchema('ses_', 'session').brand('SessionId')
export type SessionId = z.infer<typeof SessionId>

export const MessageId = createIdSchema('msg_', 'message').brand('MessageId')
export type MessageId = z.infer<typeof MessageId>

export const TurnId = createIdSchema('trn_', 'turn').brand('TurnId')
export type TurnId = z.infer<typeof TurnId>

/** One answer of the model within a turn; a turn with tools has several. */
export const StepId = createIdSchema('stp_', 'step').brand('StepId')
export type StepId = z.infer<typeof StepId>

/** Assigned by the model provider, in any form. */
export const CallId = z.string().min(1).max(256).brand('CallId')
export type CallId = z.infer<typeof CallId>

export const PersonId = createIdSchema('per_', 'person').brand('PersonId')
export type PersonId = z.infer<typeof PersonId>

export const ReflectionId = createIdSchema('rfl_', 'reflection').brand('ReflectionId')
export type ReflectionId = z.infer<typeof ReflectionId>

export const SourceId = createIdSchema('src_', 'source').brand('SourceId')
export type SourceId = z.infer<typeof SourceId>

export const FactId = createIdSchema('fct_', 'fact').brand('FactId')
export type FactId = z.infer<typeof FactId>

export const PatchId = createIdSchema('pat_', 'patch').brand('PatchId')
export type PatchId = z.infer<typeof PatchId>

/** One run of a source's bytes through all ingest phases. */
export const IngestRunId = createIdSchema('ing_', 'ingest run').brand('IngestRunId')
export type IngestRunId = z.infer<typeof IngestRunId>

export const LinkId = z.string().regex(/^lnk_[a-z0-9]{1,60}$/, 'the id of a link starts with lnk_')

/** An id that a person chooses. */
export const kebabIdSchema = z
  .string()
  .max(64)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'lower-case letters, digits and single hyphens')

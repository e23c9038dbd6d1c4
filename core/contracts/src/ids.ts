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

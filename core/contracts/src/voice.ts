import { z } from 'zod'

/** What a spoken or typed conversation with a reflection is for. */
export const SessionMode = z.enum(['interview', 'reflection', 'share'])
export type SessionMode = z.infer<typeof SessionMode>

export const Audience = z.enum(['private', 'public'])
export type Audience = z.infer<typeof Audience>

/** Which provider agent and pack serve; `memory` where a private session's person has earlier sessions. */
export const Surface = z.enum(['standard', 'memory', 'public'])
export type Surface = z.infer<typeof Surface>

/** Which agents a reflection has at the provider: one a surface, and one for calls by links for a part of what is public. */
export const AgentSurface = z.enum([...Surface.options, 'public_part'])
export type AgentSurface = z.infer<typeof AgentSurface>

/** What an agent of a reflection may do, by the name of its tool. */
export const VoiceAction = z.enum(['retrieve-context', 'request-source-ingest', 'propose-fact-correction'])
export type VoiceAction = z.infer<typeof VoiceAction>

/** What whoever starts a session says of it; which mode that makes is decided by the server. */
export const AgentType = z.enum(['interviewer', 'reflection'])
export type AgentType = z.infer<typeof AgentType>
export const SessionHint = z.string().min(1).max(100)

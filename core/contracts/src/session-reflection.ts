import { z } from 'zod'
import { ReflectionId } from './ids.ts'
import { NamespaceName } from './reflection.ts'
import { Audience, SessionMode, Surface, VoiceAction } from './voice.ts'

/** What a session with a reflection is, and what it may use as things stand now. */
export const SessionReflection = z.object({
  /** For members alone. */
  id: ReflectionId.optional(),
  displayName: z.string(),
  mode: SessionMode,
  audience: Audience,
  surface: Surface,
  actions: z.array(VoiceAction),
  /** What may be looked up in: of a public session, what is published now. */
  namespaces: z.array(NamespaceName),
  /** Whether it is learned from, only kept, or not even that. */
  ingestion: z.enum(['ingest', 'keep-only', 'off-record']),
  status: z.enum(['starting', 'active', 'failed', 'ended']),
  /** Of a call: whether what was said has come. */
  transcript: z.enum(['none', 'pending', 'stored']),
  /** Why it failed, or was ended. */
  failure: z.string().optional(),
})
export type SessionReflection = z.infer<typeof SessionReflection>

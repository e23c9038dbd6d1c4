import { z } from 'zod'
import { Json } from './json.ts'
import { strictObject } from './strict-object.ts'
import { AgentSurface, Surface } from './voice.ts'
import { PackKind, SyncMetadata } from './voice-artifacts.ts'

/** How the provider's agent of a surface stands to what is promoted and published. */
export const SurfaceStatus = z.object({
  surface: AgentSurface,
  status: z.enum(['fresh', 'stale', 'not_ready']),
  /** What is not as it should be. */
  differs: z.array(z.string()),
  /** What would have to be there first. */
  missing: z.array(z.string()),
  agentId: z.string().optional(),
  packKind: PackKind.optional(),
  syncedAt: z.iso.datetime().optional(),
  /** For admins: what the agent was last made from, and what it would be made from now. */
  synced: SyncMetadata.optional(),
  wanted: SyncMetadata.optional(),
})
export type SurfaceStatus = z.infer<typeof SurfaceStatus>
export const SyncStatus = z.object({ items: z.array(SurfaceStatus) })
export type SyncStatus = z.infer<typeof SyncStatus>

/** One surface, or all of them. */
export const SyncReflection = strictObject({ surface: AgentSurface.optional() })

/** An agent as the provider holds it, beside what it should be. */
const Drift = z.object({
  /** `gone`: the provider does not have it any more. `not_comparable`: what it should be is not known yet. */
  status: z.enum(['as_wanted', 'differs', 'gone', 'not_made', 'not_comparable']),
  agentId: z.string().optional(),
  /** Field by field; a side that lacks it has no value. */
  differences: z.array(z.object({ path: z.string(), wanted: Json.optional(), held: Json.optional() })),
  /** What it has that no agent of ours has, by the provider's paths. */
  beyond: z.array(z.string()),
  why: z.array(z.string()),
})
export const AgentDrift = Drift.extend({ surface: AgentSurface })
export type AgentDrift = z.infer<typeof AgentDrift>

/** Of the server's own agents: who interviews, and who takes its persona from variables. */
export const ServerAgentDrift = Drift.extend({ kind: z.enum(['interviewer', 'generic']) })
export type ServerAgentDrift = z.infer<typeof ServerAgentDrift>

export const DriftReport = z.object({
  items: z.array(AgentDrift),
  /** The same for every reflection. */
  server: z.array(ServerAgentDrift),
})
export type DriftReport = z.infer<typeof DriftReport>

export const AuditAgents = strictObject({ repair: z.boolean().default(false) })

/** What an agent is tried with, as the provider is given it. */
const AgentTrial = z.looseObject({
  kind: z.enum(['answer', 'tool', 'simulation']),
  name: z.string(),
  history: z.array(z.object({ role: z.enum(['person', 'agent']), text: z.string() })),
})

export const AgentTestReport = z.object({
  surface: Surface,
  agentId: z.string().optional(),
  /** What is wrong whatever the verdicts are: what is not tried, or must not be there. */
  warnings: z.array(z.string()).default([]),
  items: z.array(
    z.object({
      test: AgentTrial,
      /** Absent where it was not run. `unfinished`: it had not ended in time. */
      verdict: z.enum(['passed', 'failed', 'unfinished']).optional(),
      reasons: z.array(z.string()),
    }),
  ),
})
export type AgentTestReport = z.infer<typeof AgentTestReport>

/** Without a run it is the suite alone. */
export const TestAgents = strictObject({
  surface: Surface.default('standard'),
  run: z.boolean().default(true),
})
export type TestAgents = z.input<typeof TestAgents>

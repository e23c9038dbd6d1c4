import { z } from 'zod'
import { AgentSurface, Surface } from './access.ts'
import { Json } from './json.ts'
import { strictObject } from './strict-object.ts'
import { PackKind, SyncMetadata } from './voice-artifacts.ts'

/** Whether a surface's agent at the provider matches the promoted and published version. */
export const SurfaceStatus = z.object({
  surface: AgentSurface,
  status: z.enum(['fresh', 'stale', 'not_ready']),
  /** The parts that do not match. */
  differs: z.array(z.string()),
  /** The missing prerequisites. */
  missing: z.array(z.string()),
  agentId: z.string().optional(),
  packKind: PackKind.optional(),
  syncedAt: z.iso.datetime().optional(),
  /** For admins: the versions that the agent was built from, and those it would be built from now. */
  synced: SyncMetadata.optional(),
  wanted: SyncMetadata.optional(),
})
export type SurfaceStatus = z.infer<typeof SurfaceStatus>
export const SyncStatus = z.object({ items: z.array(SurfaceStatus) })
export type SyncStatus = z.infer<typeof SyncStatus>

/** One surface; all of them if absent. */
export const SyncReflection = strictObject({ surface: AgentSurface.optional() })

/** The differences between an agent at the provider and its expected settings. */
const Drift = z.object({
  /** `gone`: the provider has no such agent any more. `not_comparable`: its expected settings are unknown. */
  status: z.enum(['as_wanted', 'differs', 'gone', 'not_made', 'not_comparable']),
  agentId: z.string().optional(),
  /** Field by field; a missing field has no value. */
  differences: z.array(z.object({ path: z.string(), wanted: Json.optional(), held: Json.optional() })),
  /** The provider's paths of settings that our agents do not use. */
  beyond: z.array(z.string()),
  why: z.array(z.string()),
})
export const AgentDrift = Drift.extend({ surface: AgentSurface })
export type AgentDrift = z.infer<typeof AgentDrift>

/** For the server's own agents: the interviewer, and the generic agent that gets its persona from variables. */
export const ServerAgentDrift = Drift.extend({ kind: z.enum(['interviewer', 'generic']) })
export type ServerAgentDrift = z.infer<typeof ServerAgentDrift>

/** How screens name the status of an agent: that of its sync, and that of its comparison with the provider. */
export const AGENT_STATUS_LABELS: Readonly<Record<SurfaceStatus['status'] | AgentDrift['status'], string>> = {
  fresh: 'up to date',
  stale: 'out of date',
  not_ready: 'not ready',
  as_wanted: 'as expected',
  differs: 'differs',
  gone: 'deleted at the provider',
  not_made: 'not created yet',
  not_comparable: 'cannot compare yet',
}

export const DriftReport = z.object({
  items: z.array(AgentDrift),
  /** The server's own agents, the same for every reflection. */
  server: z.array(ServerAgentDrift),
})
export type DriftReport = z.infer<typeof DriftReport>

export const AuditAgents = strictObject({ repair: z.boolean().default(false) })

/** A test as sent to the provider. */
const AgentTest = z.looseObject({
  kind: z.enum(['answer', 'tool', 'simulation']),
  name: z.string(),
  history: z.array(z.object({ role: z.enum(['person', 'agent']), text: z.string() })),
})

export const AgentTestReport = z.object({
  surface: Surface,
  agentId: z.string().optional(),
  /** Problems apart from the verdicts, such as untested parts. */
  warnings: z.array(z.string()).default([]),
  items: z.array(
    z.object({
      test: AgentTest,
      /** Absent if it was not run. `unfinished`: it did not end in time. */
      verdict: z.enum(['passed', 'failed', 'unfinished']).optional(),
      reasons: z.array(z.string()),
    }),
  ),
})
export type AgentTestReport = z.infer<typeof AgentTestReport>

/** Without `run`, the tests are only listed. */
export const TestAgents = strictObject({
  surface: Surface.default('standard'),
  run: z.boolean().default(true),
})
export type TestAgents = z.input<typeof TestAgents>

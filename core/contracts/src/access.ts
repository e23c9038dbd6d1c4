import { z } from 'zod'

/** Highest first: each role may do everything that the later ones may. */
export const Role = z.enum(['owner', 'admin', 'operator', 'viewer', 'guest'])
export type Role = z.infer<typeof Role>

/** The differences between the roles on a reflection, besides their order. */
export const ROLES: Readonly<Record<Role, RoleRights>> = {
  owner: { canBeLimited: false, mayInterview: true, mayStore: true },
  admin: { canBeLimited: false, mayInterview: true, mayStore: true },
  operator: { canBeLimited: true, mayInterview: true, mayStore: true },
  viewer: { canBeLimited: true, mayInterview: false, mayStore: false },
  guest: { canBeLimited: false, mayInterview: false, mayStore: false },
}

interface RoleRights {
  /** Its members read the published namespaces, and all or some of the private ones. */
  readonly canBeLimited: boolean
  readonly mayInterview: boolean
  /** Its sessions have the actions that store something. */
  readonly mayStore: boolean
}

/** Whether a role has at least the privileges of another. */
export const isAtLeast = (role: Role, least: Role): boolean =>
  Role.options.indexOf(role) <= Role.options.indexOf(least)

/** The purpose of a conversation with a reflection, spoken or typed. */
export const SessionMode = z.enum(['interview', 'reflection', 'share'])
export type SessionMode = z.infer<typeof SessionMode>

export const Audience = z.enum(['private', 'public'])
export type Audience = z.infer<typeof Audience>

/** Selects the provider agent and the prompt pack; `memory` is for a private session of a person with earlier sessions. */
export const Surface = z.enum(['standard', 'memory', 'public'])
export type Surface = z.infer<typeof Surface>

/** A reflection's agents at the provider: one for each surface, and one for links to some of the public namespaces. */
export const AgentSurface = z.enum([...Surface.options, 'public_part'])
export type AgentSurface = z.infer<typeof AgentSurface>

export const AgentType = z.enum(['interviewer', 'reflection'])
export type AgentType = z.infer<typeof AgentType>

const Hint = z.string().min(1).max(100).optional()

/** Sent by the client that starts a session; the server derives the mode from them. */
export const modeHints = { agentType: AgentType.optional(), mode: Hint, roomPrefix: Hint }

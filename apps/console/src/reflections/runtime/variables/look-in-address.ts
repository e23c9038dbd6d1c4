import { AgentKind, Audience, Channel, Role, SessionMode, Surface, VARIABLES_BUDGET } from '@parley/contracts'

/** The session to preview, as kept in the URL. Absent values have their defaults. */
export interface PreviewSession {
  readonly mode?: SessionMode
  readonly role?: Role
  readonly audience?: Audience
  readonly channel?: Channel
  readonly surface?: Exclude<Surface, 'public'>
  readonly agent?: AgentKind
  readonly link?: string
  readonly offRecord?: true
  readonly budget?: number
}

/** Reads the session from the URL, ignoring invalid values. */
export function lookInAddress(params: Readonly<Record<string, unknown>>): PreviewSession {
  const mode = SessionMode.safeParse(params['mode']).data
  const role = Role.safeParse(params['role']).data
  const audience = Audience.safeParse(params['audience']).data
  const channel = Channel.safeParse(params['channel']).data
  const surface = Surface.exclude(['public']).safeParse(params['surface']).data
  const agent = AgentKind.safeParse(params['agent']).data
  const { link, budget } = params
  return {
    ...(mode && { mode }),
    ...(role && { role }),
    ...(audience && { audience }),
    ...(channel && { channel }),
    ...(surface && { surface }),
    ...(agent && { agent }),
    ...(typeof link === 'string' && link.startsWith('lnk_') && { link }),
    ...(params['offRecord'] === true && { offRecord: true }),
    ...(isBudget(budget) && { budget }),
  }
}

const isBudget = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < VARIABLES_BUDGET

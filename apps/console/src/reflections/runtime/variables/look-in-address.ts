import { AgentKind, Audience, Channel, Role, SessionMode, Surface, VARIABLES_BUDGET } from '@parley/contracts'

/** A session that is looked at, as an address holds it: what is not said is as usual. */
export interface LookInAddress {
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

/** Whatever stands there, only what there is. */
export function lookInAddress(said: Readonly<Record<string, unknown>>): LookInAddress {
  const mode = SessionMode.safeParse(said['mode']).data
  const role = Role.safeParse(said['role']).data
  const audience = Audience.safeParse(said['audience']).data
  const channel = Channel.safeParse(said['channel']).data
  const surface = Surface.exclude(['public']).safeParse(said['surface']).data
  const agent = AgentKind.safeParse(said['agent']).data
  const { link, budget } = said
  return {
    ...(mode && { mode }),
    ...(role && { role }),
    ...(audience && { audience }),
    ...(channel && { channel }),
    ...(surface && { surface }),
    ...(agent && { agent }),
    ...(typeof link === 'string' && link.startsWith('lnk_') && { link }),
    ...(said['offRecord'] === true && { offRecord: true }),
    ...(isBudget(budget) && { budget }),
  }
}

const isBudget = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < VARIABLES_BUDGET

import {
  AgentKind,
  Audience,
  Channel,
  FactChoice,
  FactOrder,
  HealthRange,
  type ListSessions,
  NamespaceName,
  ReflectionId,
  Role,
  type SessionEvent,
  SessionMode,
  SessionStatus,
  Surface,
  UnstampedEvent,
  VARIABLES_BUDGET,
} from '@parley/contracts'

// What each page keeps in its address. Anybody may have written an address, so invalid values are ignored.

/** The parameters of an address, as the router parses them. */
type SearchParams = Readonly<Record<string, unknown>>

const MAX_SEARCH_LENGTH = 200

/** The router parses digits as a number. */
const toText = (value: unknown, maxLength: number): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, maxLength) : ''

/** The filters of the sessions page. */
export type SessionFilters = Readonly<
  Partial<Pick<ListSessions, 'search' | 'channel' | 'status' | 'turn' | 'reflectionId'>>
> & { readonly whose?: 'all' }

export function parseSessionFilters(params: SearchParams): SessionFilters {
  const search = toText(params['search'], MAX_SEARCH_LENGTH).trim()
  const channel = Channel.safeParse(params['channel']).data
  const status = SessionStatus.safeParse(params['status']).data
  const reflectionId = ReflectionId.safeParse(params['reflectionId']).data
  return {
    ...(search !== '' && { search }),
    ...(channel && { channel }),
    ...(status && { status }),
    ...(params['turn'] === 'waiting' && { turn: 'waiting' }),
    ...(reflectionId && { reflectionId }),
    ...(params['whose'] === 'all' && { whose: 'all' }),
  }
}

export const isFiltered = (filters: SessionFilters): boolean => Object.keys(filters).length > 0

/** The search text of a transcript; empty if only the search bar is open. */
export const parseFindParam = ({ find }: SearchParams): { readonly find?: string } =>
  typeof find === 'string' || typeof find === 'number' ? { find: toText(find, MAX_SEARCH_LENGTH) } : {}

export type EventType = SessionEvent['type']

export const EVENT_TYPES: readonly EventType[] = UnstampedEvent.options
  .map(({ shape }) => shape.type.value)
  .toSorted()

export function parseEventType({ type }: SearchParams): { readonly type?: EventType } {
  const known = EVENT_TYPES.find((each) => each === type)
  return known ? { type: known } : {}
}

export const SPEEDS = ['1', '4', 'max'] as const
export type Speed = (typeof SPEEDS)[number]

export interface ReplayPosition {
  readonly at?: number
  readonly speed?: Speed
}

export function parseReplayPosition({ at, speed }: SearchParams): ReplayPosition {
  const known = SPEEDS.find((each) => each === String(speed))
  return {
    ...(typeof at === 'number' && Number.isSafeInteger(at) && at >= 0 && { at }),
    ...(known && { speed: known }),
  }
}

export function parseHealthRange({ range }: SearchParams): { readonly range?: HealthRange } {
  const known = HealthRange.safeParse(range).data
  return known ? { range: known } : {}
}

/** The filters and the order of the facts page. */
export interface FactFilters {
  /** Active facts if absent. */
  readonly state?: Exclude<FactChoice, 'active'> | 'everything'
  /** By subject if absent. */
  readonly order?: Exclude<FactOrder, 'subject'>
  readonly namespace?: string
  readonly search?: string
}

export function parseFactFilters(params: SearchParams): FactFilters {
  const state = FACT_STATES.find((each) => each === params['state'])
  const order = FACT_ORDERS.find((each) => each === params['order'])
  const namespace = NamespaceName.safeParse(params['namespace']).data
  const search = toText(params['search'], MAX_SEARCH_LENGTH)
  return {
    ...(state && { state }),
    ...(order && { order }),
    ...(namespace && { namespace }),
    ...(search !== '' && { search }),
  }
}

const FACT_STATES = [...FactChoice.exclude(['active']).options, 'everything'] as const
const FACT_ORDERS = FactOrder.exclude(['subject']).options

/** A passage of a source, given by its first and last words. */
export interface Passage {
  readonly start?: string
  /** Absent if `start` is the whole passage. */
  readonly end?: string
}

const MAX_PASSAGE_LENGTH = 300

export function parsePassage(params: SearchParams): Passage {
  const start = toText(params['start'], MAX_PASSAGE_LENGTH)
  const end = toText(params['end'], MAX_PASSAGE_LENGTH)
  return { ...(start !== '' && { start }), ...(end !== '' && { end }) }
}

export const parseComparedVersion = ({ beside }: SearchParams): { readonly beside?: number } =>
  Number.isSafeInteger(beside) && Number(beside) > 0 ? { beside: Number(beside) } : {}

/** The session that the variables page previews. Absent values have their defaults. */
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

export function parsePreviewSession(params: SearchParams): PreviewSession {
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

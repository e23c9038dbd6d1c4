import {
  AgentKind,
  Audience,
  Channel,
  FactChoice,
  FactOrder,
  HealthRange,
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
import { z } from 'zod'
import { MAX_SEARCH_LENGTH } from '../ui/use-debounced.ts'

// What each page keeps in its address. Anybody may have written an address, so invalid values are ignored.

/** Parses each parameter of an address by itself, and drops the invalid ones. */
const createSearchParser =
  <Shape extends z.ZodRawShape>(shape: Shape) =>
  (params: Readonly<Record<string, unknown>>) => {
    const parsed = Object.entries(shape).map(
      ([name, schema]) => [name, z.safeParse(schema, params[name])] as const,
    )
    const valid = parsed.flatMap(([name, { success, data }]) => (success ? [[name, data]] : []))
    return Object.fromEntries(valid) as Readonly<Partial<z.output<z.ZodObject<Shape>>>>
  }

/** The router parses digits as a number. */
const createText = (maxLength: number) =>
  z.union([z.string(), z.number()]).transform((value) => String(value).slice(0, maxLength))

const NOT_EMPTY = z.string().min(1)

export type SessionFilters = ReturnType<typeof parseSessionFilters>
export const parseSessionFilters = createSearchParser({
  search: createText(MAX_SEARCH_LENGTH).pipe(z.string().trim().min(1)),
  channel: Channel,
  status: SessionStatus,
  turn: z.literal('waiting'),
  reflectionId: ReflectionId,
  whose: z.literal('all'),
})

/** The search text of a transcript; empty if only the search bar is open. */
export const parseFindParam = createSearchParser({ find: createText(MAX_SEARCH_LENGTH) })

export type EventType = SessionEvent['type']
export const EVENT_TYPES: readonly EventType[] = UnstampedEvent.options
  .map(({ shape }) => shape.type.value)
  .toSorted()
export const parseEventType = createSearchParser({ type: z.enum(EVENT_TYPES) })

export const SPEEDS = ['1', '4', 'max'] as const
export type Speed = (typeof SPEEDS)[number]
export type ReplayPosition = ReturnType<typeof parseReplayPosition>
export const parseReplayPosition = createSearchParser({
  at: z.int().min(0),
  speed: z.coerce.string().pipe(z.enum(SPEEDS)),
})

export const parseHealthRange = createSearchParser({ range: HealthRange })

/** Active facts by subject, if absent. */
export type FactFilters = ReturnType<typeof parseFactFilters>
export const parseFactFilters = createSearchParser({
  state: z.enum([...FactChoice.exclude(['active']).options, 'everything']),
  order: FactOrder.exclude(['subject']),
  namespace: NamespaceName,
  search: createText(MAX_SEARCH_LENGTH).pipe(NOT_EMPTY),
})

const MAX_PASSAGE_LENGTH = 300

/** A passage of a source, given by its first and last words. Without `end`, `start` is the whole passage. */
export type Passage = ReturnType<typeof parsePassage>
export const parsePassage = createSearchParser({
  start: createText(MAX_PASSAGE_LENGTH).pipe(NOT_EMPTY),
  end: createText(MAX_PASSAGE_LENGTH).pipe(NOT_EMPTY),
})

export const parseComparedVersion = createSearchParser({ beside: z.int().positive() })

/** The session that the variables page previews. Absent values have their defaults. */
export type PreviewSession = ReturnType<typeof parsePreviewSession>
export const parsePreviewSession = createSearchParser({
  mode: SessionMode,
  role: Role,
  audience: Audience,
  channel: Channel,
  surface: Surface.exclude(['public']),
  agent: AgentKind,
  link: z.string().startsWith('lnk_'),
  offRecord: z.literal(true),
  budget: z.int().min(0).lt(VARIABLES_BUDGET),
})

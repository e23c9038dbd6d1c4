import type { ApiClient } from '@parley/api-client'
import {
  type Fact,
  type Patch,
  PlatformError,
  type Reflection,
  ReflectionId,
  type Source,
} from '@parley/contracts'
import type { Config } from '../config.ts'
import { neutralise } from '../render/text.ts'
import { shortId } from '../session/find-session.ts'
import { DEMO, readDemoMarker } from '../up/give-demo.ts'
import { readUpTo } from './at-server.ts'

const MOST_NAMED = 5

/** Finds a reflection by id, name, the start of either, or "demo". */
export async function findReflection(client: ApiClient, given: string, config: Config): Promise<Reflection> {
  const written = given.trim()
  const whole = ReflectionId.safeParse(written.toLowerCase())
  if (whole.success) {
    const exact = await client.reflections.get(whole.data).catch(unlessMissing)
    if (exact) return exact
  }
  if (written === '') throw missing(given)
  const { items } = await readUpTo(Number.POSITIVE_INFINITY, (page) => client.reflections.list(page))
  const found = await matching(items, written, config)
  const [only, another] = found
  if (only && !another) return only
  if (only) throw ambiguous(given, found)
  throw missing(given)
}

/** A full match wins over a partial one. */
async function matching(
  items: readonly Reflection[],
  written: string,
  config: Config,
): Promise<readonly Reflection[]> {
  const named = items.filter(({ displayName }) => same(displayName, written))
  if (named.length > 0) return named
  const demo = same(written, DEMO) ? (await readDemoMarker(config.home))?.reflectionId : undefined
  const ofDemo = items.filter(({ id }) => id === demo)
  if (ofDemo.length > 0) return ofDemo
  const beginning = written.toLowerCase().replace(/^rfl_/, '')
  if (beginning === '') return []
  return items.filter(
    ({ id, displayName }) =>
      id.startsWith(`rfl_${beginning}`) || same(displayName.slice(0, written.length), written),
  )
}

const same = (one: string, other: string): boolean =>
  one.localeCompare(other, undefined, { sensitivity: 'accent' }) === 0

function unlessMissing(failure: unknown): undefined {
  if (failure instanceof PlatformError && failure.code === 'reflection_not_found') return undefined
  throw failure
}

const missing = (given: string) =>
  new PlatformError('reflection_not_found', {
    message: `There is no reflection whose name or id starts with "${given}".`,
    mend: '`parley reflections` lists them.',
    given,
  })

function ambiguous(given: string, found: readonly Reflection[]): PlatformError {
  const named = found
    .slice(0, MOST_NAMED)
    .map(({ id, displayName }) => `${shortId(id, 12)}  ${neutralise(displayName)}`)
  const more = found.length - named.length
  return new PlatformError('validation', {
    message: `"${given}" matches ${found.length} reflections. Type more of the name or id.`,
    mend: [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'),
    candidates: found.map(({ id }) => id),
  })
}

/** Finds a source by the start of its id. */
export async function findSource(
  client: ApiClient,
  { id: reflectionId }: Reflection,
  given: string,
): Promise<Source> {
  const { items } = await readUpTo(Number.POSITIVE_INFINITY, (page) =>
    client.reflections.sources({ ...page, reflectionId }),
  )
  const list = `parley reflections sources ${shortId(reflectionId)}`
  return findByBeginning(items, given, { what: 'source', list })
}

/** Finds an active fact by the start of its id. */
export async function findFact(client: ApiClient, reflectionId: ReflectionId, given: string): Promise<Fact> {
  const { items } = await readUpTo(Number.POSITIVE_INFINITY, (page) =>
    client.reflections.facts({ ...page, reflectionId, state: 'active' }),
  )
  const list = `parley reflections facts ${shortId(reflectionId)} --state active`
  return findByBeginning(items, given, { what: 'active fact', list })
}

/** Finds a patch by the start of its id. */
export async function findPatch(
  client: ApiClient,
  reflectionId: ReflectionId,
  given: string,
): Promise<Patch> {
  const { items } = await readUpTo(Number.POSITIVE_INFINITY, (page) =>
    client.reflections.patches({ ...page, reflectionId }),
  )
  const list = `parley reflections patches ${shortId(reflectionId)}`
  return findByBeginning(items, given, { what: 'patch', list })
}

/** Finds an item by the start of its id, with or without the prefix. */
export function findByBeginning<Item extends { readonly id: string }>(
  items: readonly Item[],
  given: string,
  { what, list }: { readonly what: string; readonly list: string },
): Item {
  const written = given.trim().toLowerCase()
  const beginning = written.replace(/^[a-z]{3}_/, '')
  const found = beginning === '' ? [] : items.filter(({ id }) => shortId(id, id.length).startsWith(beginning))
  const [only, another] = found
  if (only && !another) return only
  if (!only) {
    throw new PlatformError('validation', {
      message: `There is no ${what} whose id starts with "${given}".`,
      mend: `\`${list}\` lists them.`,
    })
  }
  throw new PlatformError('validation', {
    message: `${found.length} ids start with "${given}". Type more of the ${what} id.`,
    mend: found
      .slice(0, MOST_NAMED)
      .map(({ id }) => shortId(id, 12))
      .join('\n'),
  })
}

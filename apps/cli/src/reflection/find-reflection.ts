import type { ApiClient } from '@parley/api-client'
import {
  type Fact,
  type Patch,
  PlatformError,
  type Reflection,
  ReflectionId,
  type Source,
} from '@parley/contracts'
import type { CommandCall } from '../commands/command.ts'
import type { Environment } from '../environment.ts'
import { createAmbiguityError, shortenId } from '../session/find-session.ts'
import { DEMO, readDemoMarker } from '../up/add-demo.ts'
import { connectToServer } from './server-connection.ts'
import { readAll } from '../read-pages.ts'

/** Connects to the running server and finds the reflection that a command names first. */
export async function connectToReflection(call: CommandCall) {
  const server = await connectToServer(call)
  const reflection = await findReflection(server.client, call.positionals[0] ?? '', call.environment)
  return { ...server, reflection, reflectionId: reflection.id }
}

/** Finds a reflection by id, name, the start of either, or "demo". */
export async function findReflection(
  client: ApiClient,
  given: string,
  environment: Environment,
): Promise<Reflection> {
  const written = given.trim()
  const whole = ReflectionId.safeParse(written.toLowerCase())
  if (whole.success) {
    const exact = await client.reflections.get(whole.data).catch(ignoreMissing)
    if (exact) return exact
  }
  if (written === '') throw createNotFoundError(given)
  const items = await readAll((page) => client.reflections.list(page))
  const matches = await findMatches(items, written, environment)
  const [only, another] = matches
  if (only && !another) return only
  if (!only) throw createNotFoundError(given)
  throw createAmbiguityError(
    `"${given}" matches ${matches.length} reflections. Type more of the name or id.`,
    matches.map(({ id, displayName }) => ({ id, title: displayName })),
  )
}

/** A full match wins over a partial one. */
async function findMatches(
  items: readonly Reflection[],
  written: string,
  environment: Environment,
): Promise<readonly Reflection[]> {
  const named = items.filter(({ displayName }) => isSameName(displayName, written))
  if (named.length > 0) return named
  const demo = isSameName(written, DEMO) ? (await readDemoMarker(environment.home))?.reflectionId : undefined
  const ofDemo = items.filter(({ id }) => id === demo)
  if (ofDemo.length > 0) return ofDemo
  const beginning = written.toLowerCase().replace(/^rfl_/, '')
  if (beginning === '') return []
  return items.filter(
    ({ id, displayName }) =>
      id.startsWith(`rfl_${beginning}`) || isSameName(displayName.slice(0, written.length), written),
  )
}

const isSameName = (one: string, other: string): boolean =>
  one.localeCompare(other, undefined, { sensitivity: 'accent' }) === 0

function ignoreMissing(failure: unknown): undefined {
  if (failure instanceof PlatformError && failure.code === 'reflection_not_found') return undefined
  throw failure
}

const createNotFoundError = (given: string) =>
  new PlatformError('reflection_not_found', {
    message: `There is no reflection whose name or id starts with "${given}".`,
    fix: '`parley reflections` lists them.',
    given,
  })

export async function findSource(
  client: ApiClient,
  { id: reflectionId }: Reflection,
  given: string,
): Promise<Source> {
  const items = await readAll((page) => client.reflections.sources({ ...page, reflectionId }))
  const list = `parley reflections sources ${shortenId(reflectionId)}`
  return findByBeginning(items, given, { what: 'source', list })
}

export async function findFact(client: ApiClient, reflectionId: ReflectionId, given: string): Promise<Fact> {
  const items = await readAll((page) => client.reflections.facts({ ...page, reflectionId, state: 'active' }))
  const list = `parley reflections facts ${shortenId(reflectionId)} --state active`
  return findByBeginning(items, given, { what: 'active fact', list })
}

export async function findPatch(
  client: ApiClient,
  reflectionId: ReflectionId,
  given: string,
): Promise<Patch> {
  const items = await readAll((page) => client.reflections.patches({ ...page, reflectionId }))
  const list = `parley reflections patches ${shortenId(reflectionId)}`
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
  const matches =
    beginning === '' ? [] : items.filter(({ id }) => shortenId(id, id.length).startsWith(beginning))
  const [only, another] = matches
  if (only && !another) return only
  if (!only) {
    throw new PlatformError('validation', {
      message: `There is no ${what} whose id starts with "${given}".`,
      fix: `\`${list}\` lists them.`,
    })
  }
  throw createAmbiguityError(
    `${matches.length} ids start with "${given}". Type more of the ${what} id.`,
    matches.map(({ id }) => ({ id })),
  )
}

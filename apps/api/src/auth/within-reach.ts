import { PlatformError } from '@parley/contracts'
import type { KnowledgeReader, ReflectionStore } from '@parley/knowledge'
import type { Context } from 'hono'
import type { ApiEnv } from '../api.ts'

/** The knowledge as the caller sees it: all of it, or what they reach, which the database itself keeps to. */
export function readerFor(c: Context<ApiEnv>, reflections: ReflectionStore): KnowledgeReader {
  const reach = c.get('reach')
  return reach ? reflections.readAs(reach.capability) : reflections
}

/** Throws where the caller may not write in a namespace. The published ones they read, and write only in the chosen ones. */
export function refuseToWrite(c: Context<ApiEnv>, namespaces: readonly string[]): void {
  const chosen = c.get('reach')?.chosen
  const refused = chosen && namespaces.find((name) => !chosen.includes(name))
  if (refused === undefined) return
  const there = chosen?.length ? `You can work in: ${chosen.join(', ')}.` : 'You can work in none.'
  throw new PlatformError('forbidden', {
    message: `You cannot change the namespace ${refused}. ${there} The reflection's owner or an admin can change that.`,
  })
}

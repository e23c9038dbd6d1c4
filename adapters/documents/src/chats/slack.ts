import type { Segment } from '@parley/knowledge'
import type { Reading } from '../reading.ts'
import { UNKNOWN, dateOfSeconds, fieldOf, textOf, toSegment } from './message.ts'

/** Subtypes of real messages; others report who joined or left. */
const SPOKEN = new Set([
  undefined,
  'bot_message',
  'me_message',
  'thread_broadcast',
  'file_share',
  'file_comment',
])

/** One day of a channel: a list of messages. */
export function slackExport(file: unknown): Reading | undefined {
  if (!Array.isArray(file) || !file.some(isMessage)) return undefined
  return { segments: slackMessages(file) }
}

const isMessage = (value: unknown) =>
  textOf(value, 'type') === 'message' && fieldOf(value, 'ts') !== undefined

/** The messages of a day; missing names come from the export's user list. */
export function* slackMessages(
  file: readonly unknown[],
  channel?: string,
  known: ReadonlyMap<string, string> = new Map(),
): Generator<Segment> {
  const names = new Map([...known, ...namesOf(file)])
  for (const entry of file) {
    if (!isMessage(entry) || !SPOKEN.has(textOf(entry, 'subtype'))) continue
    const text = plainText(textOf(entry, 'text') ?? '', names)
    const user = textOf(entry, 'user')
    const speaker = (user && names.get(user)) ?? textOf(entry, 'username') ?? user ?? UNKNOWN
    const date = dateOfSeconds(fieldOf(entry, 'ts'))
    if (text) yield toSegment(text, { speaker, date, heading: channel })
  }
}

/** The people of an export, from its `users.json`. */
export function slackPeople(users: unknown): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const user of Array.isArray(users) ? users : []) {
    const id = textOf(user, 'id')
    const name = nameIn(fieldOf(user, 'profile')) ?? textOf(user, 'real_name') ?? textOf(user, 'name')
    if (id && name) names.set(id, name)
  }
  return names
}

const nameIn = (profile: unknown) =>
  textOf(profile, 'real_name') ?? textOf(profile, 'display_name') ?? textOf(profile, 'name')

/** Some messages include the writer's profile; others only the id. */
function namesOf(file: readonly unknown[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const entry of file) {
    const user = textOf(entry, 'user')
    const name = nameIn(fieldOf(entry, 'user_profile'))
    if (user && name) names.set(user, name)
  }
  return names
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
])

/** Slack writes people, channels and links as <@U1>, <#C1|name>, <https://…|words>. */
function plainText(text: string, names: ReadonlyMap<string, string>): string {
  return text
    .replaceAll(/<([^<>|]{1,2000})(?:\|([^<>]{0,2000}))?>/g, (whole, target: string, words?: string) => {
      if (target.startsWith('@')) return `@${words || (names.get(target.slice(1)) ?? target.slice(1))}`
      if (target.startsWith('#')) return `#${words || target.slice(1)}`
      if (target.startsWith('!')) return `@${words || target.slice(1)}`
      return words || (/^[a-z]+:/i.test(target) ? target : whole)
    })
    .replaceAll(/&(?:amp|lt|gt);/g, (entity) => ENTITIES.get(entity) ?? entity)
}

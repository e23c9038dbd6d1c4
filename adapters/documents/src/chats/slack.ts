import type { Segment } from '@parley/knowledge'
import type { Reading } from '../reading.ts'
import { dateOfSeconds, fieldOf, textOf } from './json-field.ts'
import { message } from './message.ts'

/** Messages of these kinds are a person's; the others tell who came and went. */
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
  return { segments: messagesOf(file) }
}

const isMessage = (value: unknown) =>
  textOf(value, 'type') === 'message' && fieldOf(value, 'ts') !== undefined

function* messagesOf(file: readonly unknown[]): Generator<Segment> {
  const names = namesOf(file)
  for (const said of file) {
    if (!isMessage(said) || !SPOKEN.has(textOf(said, 'subtype'))) continue
    const text = plainText(textOf(said, 'text') ?? '', names)
    const user = textOf(said, 'user')
    const speaker = (user && names.get(user)) ?? textOf(said, 'username') ?? user
    if (text) yield message(text, { speaker, date: dateOfSeconds(fieldOf(said, 'ts')) })
  }
}

/** A message may bring its writer's profile; others name them by id alone. */
function namesOf(file: readonly unknown[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const said of file) {
    const user = textOf(said, 'user')
    const profile = fieldOf(said, 'user_profile')
    const name = textOf(profile, 'real_name') ?? textOf(profile, 'display_name') ?? textOf(profile, 'name')
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

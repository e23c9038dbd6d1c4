import type { Segment } from '@parley/knowledge'
import type { OpenedDocument } from '../document-reader.ts'
import {
  UNKNOWN_SPEAKER,
  parseUnixSeconds,
  readField,
  readTextField,
  toMessageSegment,
} from './export-fields.ts'

/** Subtypes of real messages; others report who joined or left. */
const MESSAGE_SUBTYPES = new Set([
  undefined,
  'bot_message',
  'me_message',
  'thread_broadcast',
  'file_share',
  'file_comment',
])

/** One day of a channel: a list of messages. */
export function openSlackExport(file: unknown): OpenedDocument | undefined {
  if (!Array.isArray(file) || !file.some(isMessage)) return undefined
  return { segments: iterateSlackMessages(file) }
}

const isMessage = (value: unknown) =>
  readTextField(value, 'type') === 'message' && readField(value, 'ts') !== undefined

/** The messages of a day; missing names come from the export's user list. */
export function* iterateSlackMessages(
  file: readonly unknown[],
  channel?: string,
  known: ReadonlyMap<string, string> = new Map(),
): Generator<Segment> {
  const names = new Map([...known, ...readWriterNames(file)])
  for (const entry of file) {
    if (!isMessage(entry) || !MESSAGE_SUBTYPES.has(readTextField(entry, 'subtype'))) continue
    const text = toPlainText(readTextField(entry, 'text') ?? '', names)
    const user = readTextField(entry, 'user')
    const speaker = (user && names.get(user)) ?? readTextField(entry, 'username') ?? user ?? UNKNOWN_SPEAKER
    const date = parseUnixSeconds(readField(entry, 'ts'))
    if (text) yield toMessageSegment(text, { speaker, date, heading: channel })
  }
}

/** The people of an export, from its `users.json`. */
export function readSlackPeople(users: unknown): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const user of Array.isArray(users) ? users : []) {
    const id = readTextField(user, 'id')
    const name =
      readProfileName(readField(user, 'profile')) ??
      readTextField(user, 'real_name') ??
      readTextField(user, 'name')
    if (id && name) names.set(id, name)
  }
  return names
}

const readProfileName = (profile: unknown) =>
  readTextField(profile, 'real_name') ??
  readTextField(profile, 'display_name') ??
  readTextField(profile, 'name')

/** Some messages include the writer's profile; others only the id. */
function readWriterNames(file: readonly unknown[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const entry of file) {
    const user = readTextField(entry, 'user')
    const name = readProfileName(readField(entry, 'user_profile'))
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
function toPlainText(text: string, names: ReadonlyMap<string, string>): string {
  return text
    .replaceAll(/<([^<>|]{1,2000})(?:\|([^<>]{0,2000}))?>/g, (whole, target: string, words?: string) => {
      if (target.startsWith('@')) return `@${words || (names.get(target.slice(1)) ?? target.slice(1))}`
      if (target.startsWith('#')) return `#${words || target.slice(1)}`
      if (target.startsWith('!')) return `@${words || target.slice(1)}`
      return words || (/^[a-z]+:/i.test(target) ? target : whole)
    })
    .replaceAll(/&(?:amp|lt|gt);/g, (entity) => ENTITIES.get(entity) ?? entity)
}

import type {
  Json,
  MediaHandle,
  SessionId,
  SessionMessage,
  SessionReflection,
  SessionView,
  ToolCall,
} from '@parley/contracts'
import { escapeInvisible } from '../ui/escape-invisible.ts'
import { cutText } from '../ui/format.ts'

const MAX_LENGTH = 80

/** The subject of a call in one short line: path, command or address. Empty without input. */
export function getCallSubject({ input }: ToolCall): string {
  return cutText(escapeInvisible(describeInput(input).replace(/\s+/g, ' ').trim()), MAX_LENGTH)
}

/** Input fields that describe a call, by priority. */
const SUBJECT_FIELDS: readonly (readonly string[])[] = [
  ['server', 'tool'],
  ['pattern', 'path'],
  ['command'],
  ['method', 'url'],
  ['query'],
  ['message'],
]

function describeInput(input: Json): string {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return toText(input)
  const candidates = [...SUBJECT_FIELDS, Object.keys(input).slice(0, 1)].map((names) =>
    names.map((name) => toText(input[name])).join(' '),
  )
  return candidates.find((text) => text.trim() !== '') ?? ''
}

function toText(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const SECOND = 1_000
const MINUTE = 60 * SECOND

export function formatDuration(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1)} s`
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`
  const minutes = Math.floor(ms / MINUTE)
  const seconds = Math.round((ms % MINUTE) / SECOND)
  return seconds === 0 ? `${minutes} min` : `${minutes} min ${seconds} s`
}

/** How a conversation is saved. */
export const RECORD_LABELS: Readonly<Record<SessionReflection['ingestion'], string>> = {
  ingest: 'Saved, and used for learning after it ends',
  'keep-only': 'Saved, not used for learning',
  'off-record': 'Off the record: nothing is saved',
}

export const getSessionTitle = ({ title }: { readonly title?: string | undefined }): string =>
  title ?? 'Untitled session'

export const getMessageText = ({ content }: SessionMessage): string =>
  content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')

/** The built-in model only quotes, so the page says so. */
export const isOffline = ({ provider, model }: Pick<SessionView, 'provider' | 'model'>): boolean =>
  provider === 'offline' || model === 'offline'

export const OFFLINE_EXPLAINED =
  'This session uses the built-in offline model, which only finds and quotes text. To use another model in new sessions, set default_model under [chat] in config.toml.'

/** The URL of a session's media file. The browser sends the sign-in cookie. */
export const toMediaUrl = (sessionId: SessionId, handle: MediaHandle): string =>
  `/v1/sessions/${encodeURIComponent(sessionId)}/media/${handle.slice('media://'.length)}`

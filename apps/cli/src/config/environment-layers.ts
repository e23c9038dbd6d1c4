import { ChatConfig, type ConfigFile, PlatformError } from '@parley/contracts'
import type { ConfigLayer } from './merge-config.ts'

/** What the environment says of chats: each key of `[chat]` as a variable, such as `PARLEY_CHAT_MAX_TURNS`. */
export function environmentLayers(variable: (name: string) => string | undefined): readonly ConfigLayer[] {
  return Object.keys(ChatConfig.shape).flatMap((key) => {
    const name = `PARLEY_CHAT_${key.toUpperCase()}`
    const text = variable(name)
    return text === undefined ? [] : [{ source: name, config: read(name, key, text), reach: 'own' as const }]
  })
}

function read(name: string, key: string, text: string): ConfigFile {
  const tried = readingsOf(text).map((value) => ChatConfig.safeParse({ [key]: value }))
  const fitting = tried.find(({ success }) => success)
  if (fitting?.data) return { chat: fitting.data }
  const issues = tried.flatMap(({ error }) => error?.issues ?? [])
  const told = issues.find(({ code }) => code !== 'invalid_type')?.message ?? `is no value of chat.${key}`
  throw new PlatformError('config_invalid', {
    message: `The environment variable ${name} is invalid: ${told}.`,
    mend: `Set ${name} to a right value, or unset it. A list has commas between its items.`,
    variable: name,
  })
}

/** A text, and what else it may stand for. */
const readingsOf = (text: string): readonly unknown[] => [
  text,
  ...(/^-?[\d.]+$/.test(text) ? [Number(text)] : []),
  ...(text === 'true' || text === 'false' ? [text === 'true'] : []),
  text.split(',').map((item) => item.trim()),
]

import type { UnreadableFile } from '@parley/knowledge'
import { type Reading, unreadable } from '../reading.ts'
import { chatGptExport } from './chatgpt.ts'
import { claudeExport } from './claude.ts'
import { slackExport } from './slack.ts'
import { telegramExport } from './telegram.ts'
import { parleyTranscript } from './transcript.ts'

/** Each looks whether the file is of its kind. */
const KINDS: readonly ((file: unknown) => Reading | undefined)[] = [
  telegramExport,
  chatGptExport,
  claudeExport,
  slackExport,
  parleyTranscript,
]

export function readChatExport(text: string): Reading | UnreadableFile {
  const file = parsed(text)
  if (file === undefined) return unreadable('The file is not whole JSON: export it once more.')
  for (const kind of KINDS) {
    const reading = kind(file)
    if (reading) return { whenEmpty: 'There are no messages with text in the chat.', ...reading }
  }
  return unreadable(
    'The JSON is none of the chat exports that are read (Telegram, Slack, ChatGPT, Claude): save what it says as .txt.',
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

import { isWhatsApp, whatsAppMessages } from '../chats/whatsapp.ts'
import type { Reading } from '../reading.ts'
import { groupLines } from '../text/group-lines.ts'

/** Paragraphs; or messages, where the text is a chat that WhatsApp exported. */
export function readPlainText(text: string): Reading {
  if (isWhatsApp(text)) return { segments: whatsAppMessages(text) }
  return { segments: groupLines(text, () => undefined) }
}

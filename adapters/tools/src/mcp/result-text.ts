import type { ToolText } from '@parley/engine'
import { type CallResult, mediaOfPart, type ResultPart } from './media-of-part.ts'

/** What a server answered to a call, as text and media. */
export function resultText({ content, structuredContent, isError }: CallResult): ToolText {
  const media = isError ? [] : content.flatMap((part) => mediaOfPart(part) ?? []).slice(0, MOST_MEDIA)
  const lines = content.map(lineOf).filter((line) => line !== undefined)
  const said =
    lines.length === 0 && structuredContent
      ? JSON.stringify(structuredContent, undefined, 2)
      : lines.join('\n')
  const text = said.length > LONGEST_TEXT ? `${said.slice(0, LONGEST_TEXT)}\n[The rest is left out.]` : said
  if (isError) return { kind: 'failed', code: 'tool_failed', text: text || 'It failed without saying why.' }
  return { kind: 'ok', text: text || (media.length > 0 ? '' : 'It answered with nothing.'), media }
}

const LONGEST_TEXT = 2_000_000
const MOST_MEDIA = 20

function lineOf(part: ResultPart): string | undefined {
  switch (part.type) {
    case 'text':
      return part.text
    case 'image':
    case 'audio':
      return mediaOfPart(part)
        ? undefined
        : `[A part of the type ${part.mimeType.slice(0, 100)} that cannot be shown.]`
    case 'resource_link':
      return [`[${part.name}](${part.uri})`, part.mimeType, part.description].filter(Boolean).join(' ')
    case 'resource':
      return 'text' in part.resource
        ? `${part.resource.uri}:\n${part.resource.text}`
        : `[The resource ${part.resource.uri} (${part.resource.mimeType ?? 'of no known type'}) is not text.]`
    default:
      return part satisfies never
  }
}

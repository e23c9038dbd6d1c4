import type { Place } from '@parley/contracts'
import { isWhatsApp, iterateWhatsAppMessages } from '../chats/whatsapp.ts'
import type { OpenedDocument } from '../document-reader.ts'
import { type FindHeading, groupLines } from '../text/group-lines.ts'

const MAX_FRONT_MATTER = 20_000

export function readMarkdown(text: string): OpenedDocument {
  const matter = readFrontMatter(text)
  const place: Place = matter.date ? { date: matter.date } : {}
  return {
    title: matter.title ?? findFirstHeading(text),
    segments: groupLines(matter.body, createHeadingFinder(), place),
  }
}

/** Tracks code blocks, in which a # is no heading. */
function createHeadingFinder(): FindHeading {
  let fence: string | undefined
  return (line, previous) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined
      return undefined
    }
    if (mark) {
      fence = mark
      return undefined
    }
    if (/^ {0,3}#{1,6}[ \t]/.test(line)) return { heading: removeHeadingMarks(line), at: 'this' }
    const isUnderline = /^ {0,3}(={2,}|-{2,})[ \t]*$/.test(line)
    if (isUnderline && /^ {0,3}[^\s>|#-]/.test(previous)) return { heading: previous.trim(), at: 'previous' }
    return undefined
  }
}

function removeHeadingMarks(line: string): string {
  const title = line.trim().replace(/^#+/, '')
  const closing = title.trimEnd()
  let end = closing.length
  while (closing[end - 1] === '#') end -= 1
  return end < closing.length && /\s/.test(closing[end - 1] ?? ' ')
    ? closing.slice(0, end).trim()
    : closing.trim()
}

function findFirstHeading(text: string): string | undefined {
  const line = /^#[ \t].{1,300}/m.exec(text.slice(0, MAX_FRONT_MATTER))?.[0]
  return line && removeHeadingMarks(line)
}

interface FrontMatter {
  readonly title?: string
  readonly date?: string
  /** Replaces the front matter by its title and blank lines, so line numbers stay the same. */
  readonly body: string
}

function readFrontMatter(text: string): FrontMatter {
  if (!/^---[ \t]*\n/.test(text)) return { body: text }
  const opening = text.slice(0, MAX_FRONT_MATTER)
  const end = /\n(---|\.\.\.)[ \t]*(\n|$)/.exec(opening)
  if (!end) return { body: text }
  const matter = opening.slice(0, end.index)
  const title = readMatterField(matter, 'title')
  const date = /^\d{4}(-\d{2}(-\d{2}([T ]\d{2}:\d{2}(:\d{2})?)?)?)?/.exec(
    readMatterField(matter, 'date') ?? '',
  )?.[0]
  const length = end.index + end[0].length
  return {
    ...(title ? { title } : {}),
    ...(date ? { date } : {}),
    body: keepOnlyTitle(text.slice(0, length), title) + text.slice(length),
  }
}

function keepOnlyTitle(matter: string, title: string | undefined): string {
  return matter
    .split('\n')
    .map((line) => (title !== undefined && TITLE.test(line) ? `# ${title}` : ''))
    .join('\n')
}

const TITLE = /^title:/i

function readMatterField(matter: string, name: 'title' | 'date'): string | undefined {
  const value = new RegExp(`^${name}:[ \\t]*(.{1,500})$`, 'im').exec(matter)?.[1]?.trim()
  return value?.replace(/^(["'])(.*)\1$/, '$2')
}

/** Reads paragraphs, or messages if the text is a WhatsApp export. */
export function readPlainText(text: string): OpenedDocument {
  if (isWhatsApp(text)) return { segments: iterateWhatsAppMessages(text) }
  return { segments: groupLines(text, () => undefined) }
}

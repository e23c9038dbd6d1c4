import type { Segment } from '@parley/knowledge'
import type { OpenedDocument } from '../document-reader.ts'
import { iterateLines } from '../text/group-lines.ts'

interface Cue {
  readonly offset: string
  readonly lines: readonly string[]
}

/** Cues of one speaker are joined up to about this length. */
const TARGET_LENGTH = 400
const MAX_LENGTH = 1_000

/** WebVTT and SubRip. */
export function readSubtitles(text: string): OpenedDocument {
  return { segments: joinCues(parseCues(text)), whenEmpty: 'There are no cues with text in the subtitles.' }
}

function* parseCues(text: string): Generator<Cue> {
  let offset: string | undefined
  let lines: string[] = []
  for (const { text: line } of iterateLines(text)) {
    const timing = /^\s{0,9}(?:(\d{1,3}):)?(\d{2}):(\d{2})[.,]\d{1,3}\s{1,9}-->/.exec(line)
    if (!timing && line !== '') {
      // Numbers, notes and styles are outside of cues.
      if (offset !== undefined) lines.push(line)
      continue
    }
    // The number of the next cue, without a blank line before it.
    if (timing && /^\d{1,9}$/.test(lines.at(-1) ?? '')) lines.pop()
    if (offset !== undefined && lines.length > 0) yield { offset, lines }
    lines = []
    offset = timing ? `${(timing[1] ?? '0').padStart(2, '0')}:${timing[2]}:${timing[3]}` : undefined
  }
  if (offset !== undefined && lines.length > 0) yield { offset, lines }
}

function* joinCues(cues: Iterable<Cue>): Generator<Segment> {
  let texts: string[] = []
  let length = 0
  let offset = ''
  let speaker: string | undefined
  let previous: { readonly last: string; readonly lines: number } = { last: '', lines: 0 }

  const take = (): Segment => {
    const segment = { text: texts.join(' '), place: { offset, ...(speaker ? { speaker } : {}) } }
    texts = []
    length = 0
    return segment
  }

  for (const cue of cues) {
    // Live captions scroll: a cue repeats the last line of the previous one.
    const isScrolling = cue.lines.length > 1 || previous.lines > 1
    const repeated = isScrolling ? previous.last : ''
    previous = { last: '', lines: cue.lines.length }
    for (const line of cue.lines) {
      const spoken = parseLine(line)
      if (spoken.text === '') continue
      const isFirst = previous.last === ''
      previous = { ...previous, last: spoken.text }
      if (isFirst && spoken.text === repeated) continue
      const changes = spoken.speaker !== undefined && spoken.speaker !== speaker
      const isFull =
        length >= MAX_LENGTH || (length >= TARGET_LENGTH && /[.!?…。！？]["”’»)]?$/.test(texts.at(-1) ?? ''))
      if (texts.length > 0 && (changes || isFull)) yield take()
      if (texts.length === 0) offset = cue.offset
      speaker = spoken.speaker ?? speaker
      texts.push(spoken.text)
      length += spoken.text.length + 1
    }
  }
  if (texts.length > 0) yield take()
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&nbsp;', ' '],
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&lrm;', ''],
  ['&rlm;', ''],
])

/** The text of a cue line, and its speaker if given. */
function parseLine(line: string): { readonly text: string; readonly speaker?: string } {
  const voice = /<v(?:\.[^\s<>]{1,100})?\s{1,9}([^<>]{1,200})>/.exec(line)?.[1]?.trim()
  const text = line
    .replaceAll(/<[^<>]{0,300}>|\{\\[^{}]{0,100}\}/g, '')
    .replaceAll(/&(?:amp|lt|gt|nbsp|quot|#39|lrm|rlm);/g, (entity) => ENTITIES.get(entity) ?? entity)
    .trim()
  if (voice) return { text, speaker: voice }
  return splitSpeaker(text)
}

/** "Ada Lovelace: …" or "SPEAKER 1: …": up to four words, each of them like a name. */
function splitSpeaker(text: string): { readonly text: string; readonly speaker?: string } {
  const colon = text.indexOf(':')
  if (colon < 1 || colon > 40 || !/\s/.test(text.charAt(colon + 1))) return { text }
  const speaker = text.slice(0, colon).replace(/^(?:>>|-)\s*/, '')
  const isName = /^\p{Lu}[\p{L}\p{M}\d.'’-]*(?: [\p{Lu}\d][\p{L}\p{M}\d.'’-]*){0,3}$/u.test(speaker)
  return isName ? { text: text.slice(colon + 1).trim(), speaker } : { text }
}

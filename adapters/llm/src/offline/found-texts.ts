import { type Json, unfenced } from '@parley/contracts'

/** A text that a tool found, and what it stands in. */
export interface FoundText {
  readonly text: string
  readonly title: string | undefined
  readonly speaker?: string
  /** How the statements begin that it takes the place of, where it is a correction. */
  readonly corrects?: readonly string[]
}

/**
 * What a tool's answer holds to quote: the texts of a JSON answer with their sources, or the answer as it is. The answer may
 * be fenced as a whole, or each text of it by itself.
 */
export function foundTexts(answer: string): readonly FoundText[] {
  const json = parsedJson(unfenced(answer))
  return json === undefined ? [{ text: answer, title: undefined }] : textsIn(json, DEEPEST)
}

const DEEPEST = 6
/** The names under which answers usually hold their texts. */
const TEXTS = ['text', 'quote', 'statement', 'content', 'snippet', 'answer']

function textsIn(value: Json, levels: number): readonly FoundText[] {
  if (typeof value !== 'object' || value === null || levels === 0) return []
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item, levels - 1))
  const text = TEXTS.map((name) => value[name]).find((found) => typeof found === 'string')
  if (text !== undefined) {
    const { speaker, corrects } = value
    const starts = (Array.isArray(corrects) ? corrects : []).flatMap((start) =>
      typeof start === 'string' ? [unfenced(start).trim()] : [],
    )
    return [
      {
        text: unfenced(text),
        title: titleOf(value),
        ...(typeof speaker === 'string' && { speaker: unfenced(speaker) }),
        ...(starts.length > 0 && { corrects: starts }),
      },
    ]
  }
  return Object.values(value).flatMap((inner) => textsIn(inner, levels - 1))
}

function titleOf(item: Readonly<Record<string, Json>>): string | undefined {
  const title = rawTitleOf(item)
  return title === undefined ? undefined : unfenced(title)
}

function rawTitleOf(item: Readonly<Record<string, Json>>): string | undefined {
  const { source, title } = item
  if (typeof title === 'string') return title
  if (typeof source === 'string') return source
  const named =
    typeof source === 'object' && source !== null && !Array.isArray(source) ? source['title'] : undefined
  return typeof named === 'string' ? named : undefined
}

/** Undefined where it is not JSON. */
export function parsedJson(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

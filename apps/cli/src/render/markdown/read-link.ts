import { type At, FARTHEST, literally, mayCome, noteUnclosed, type Parsed } from './inline-place.ts'
import { span } from './span.ts'

export function readImage(at: At): Parsed | undefined {
  const next = at.text[at.place + 1]
  if (next === undefined && !at.isWhole) return undefined
  return next === '[' ? readLink(at, 1) : literally(at, 1)
}

/** The address is always shown: a text must not hide where it leads. */
export function readLink(at: At, skip: 0 | 1 = 0): Parsed | undefined {
  const { text, place, format, isWhole } = at
  if (at.unclosed.has('[')) return literally(at, skip + 1)
  const unclosed = () => (mayCome(at) ? undefined : literally(at, skip + 1))
  const textEnd = closing(at, place + skip, '[', ']')
  if (textEnd === -1) {
    if (isWhole) noteUnclosed(at, '[')
    return unclosed()
  }
  const next = text[textEnd + 1]
  if (next === undefined && !isWhole) return undefined
  if (next !== '(') return literally(at, skip + 1)
  const end = closing(at, textEnd + 1, '(', ')')
  if (end === -1) return unclosed()
  const inside = text.slice(textEnd + 2, end)
  const [, bracketed, bare] = /^\s*(?:<([^<>]*)>|(\S+))(?:\s+(?:".*"|'.*'))?\s*$/.exec(inside) ?? []
  const address = bracketed ?? bare
  if (address === undefined) return literally(at, skip + 1)
  const label = text.slice(place + skip + 1, textEnd)
  const link = safeAddress(address)
  const labelled = at.inner(label, [...format, 'underline'], '[').map((part) => ({ ...part, link }))
  const shown = labelled.map((part) => part.text).join('')
  const told =
    shown === address || shown === '' ? [] : [{ ...span(` (${address})`, [...format, 'dim']), link }]
  const named = shown === '' ? [{ ...span(address, [...format, 'underline']), link }] : labelled
  return { spans: [...named, ...told], used: end + 1 - place }
}

/** The bracket that closes the one at this place, or -1. */
function closing({ text, place }: At, from: number, open: string, close: string): number {
  let depth = 0
  for (let end = from; end < Math.min(text.length, place + FARTHEST); end += 1) {
    const character = text[end]
    if (character === '\\') end += 1
    else if (character === open) depth += 1
    else if (character === close) {
      depth -= 1
      if (depth === 0) return end
    }
  }
  return -1
}

export function readAutolink(at: At): Parsed | undefined {
  const { text, place, format, isWhole } = at
  const rest = text.slice(place, place + FARTHEST)
  const [all, address] = /^<((?:https?|mailto):[^\s<>]+)>/.exec(rest) ?? []
  if (all !== undefined && address !== undefined) {
    const link = safeAddress(address)
    return { spans: [{ ...span(address, [...format, 'underline']), link }], used: all.length }
  }
  const unfinished = !isWhole && rest.length < FARTHEST && /^<[^\s<>]*$/.test(rest)
  return unfinished ? undefined : literally(at, 1)
}

export function readAddress(at: At): Parsed | undefined {
  const { text, place, previous, format, isWhole } = at
  if (/\w/.test(previous)) return literally(at, 1)
  const rest = text.slice(place, place + FARTHEST)
  const [all = ''] = /^https?:\/\/[^\s<>"`]*/.exec(rest) ?? []
  if (all.length === text.length - place && !isWhole && all.length < FARTHEST) return undefined
  const address = all.replace(/[.,;:!?)\]*_~']+$/, '')
  const link = safeAddress(address)
  return { spans: [{ ...span(address, [...format, 'underline']), link }], used: address.length }
}

/** An address that a terminal may be given to open. */
const safeAddress = (address: string): string | undefined =>
  /^(?:https?:\/\/|mailto:)[\x21-\x7e]+$/.test(address) ? address : undefined

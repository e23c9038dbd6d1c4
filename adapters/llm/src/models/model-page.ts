import { ForeignAnswerError } from '../failure/foreign-answer.ts'
import type { VendorKind } from '../settings.ts'

export interface ListedModel {
  readonly id: string
  readonly name?: string
  readonly contextWindow?: number
}

interface Page {
  readonly items: readonly ListedModel[]
  /** What to ask the next page by. */
  readonly next?: string
}

/** One page of a vendor's list, without the entries that name no model. Throws where it is no such list. */
export function pageOf(kind: VendorKind, body: string): Page {
  const page = fieldsOf(parsed(body))
  if (kind === 'google') return pageWith(entriesOf(page.models).flatMap(ofGoogle), page.nextPageToken)
  // A server without models may write null for its list.
  const isEmpty = page.data === null && page.object === 'list'
  const entries = isEmpty ? [] : entriesOf(page.data)
  return pageWith(entries.flatMap(ofList), page.has_more === true ? page.last_id : undefined)
}

type Fields = Readonly<Record<string, unknown>>

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw new ForeignAnswerError()
  }
}

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? { ...value } : {})

function entriesOf(list: unknown): readonly Fields[] {
  if (!Array.isArray(list)) throw new ForeignAnswerError()
  return list.map(fieldsOf)
}

const pageWith = (items: readonly ListedModel[], next: unknown): Page =>
  typeof next === 'string' && next !== '' ? { items, next } : { items }

const ofList = ({ id, display_name: name, max_input_tokens: window }: Fields) => listed(id, name, window)

function ofGoogle({ name, displayName, inputTokenLimit, supportedGenerationMethods: methods }: Fields) {
  const canChat = !Array.isArray(methods) || methods.includes('generateContent')
  if (typeof name !== 'string' || !canChat) return []
  return listed(name.replace(/^models\//, ''), displayName, inputTokenLimit)
}

function listed(id: unknown, name: unknown, window: unknown): readonly ListedModel[] {
  if (!isPlain(id)) return []
  return [
    { id, ...(isPlain(name) && { name }), ...(typeof window === 'number' && { contextWindow: window }) },
  ]
}

/** Text of one line that cannot steer a terminal. */
const isPlain = (text: unknown): text is string =>
  typeof text === 'string' && text !== '' && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text)

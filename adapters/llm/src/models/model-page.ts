import { ForeignAnswerError } from '../failure/foreign-answer.ts'
import type { ListedModel, ModelPage } from '../vendors/vendor.ts'

/** A page of the list that most vendors send, without the entries that name no model. */
export function readModelPage(body: string): ModelPage {
  const page = toFields(parseJson(body))
  // A server without models may write null for its list.
  const isEmpty = page.data === null && page.object === 'list'
  const entries = isEmpty ? [] : toEntries(page.data)
  return toPage(entries.flatMap(readEntry), page.has_more === true ? page.last_id : undefined)
}

/** The same of Google's list. */
export function readGoogleModelPage(body: string): ModelPage {
  const page = toFields(parseJson(body))
  return toPage(toEntries(page.models).flatMap(readGoogleEntry), page.nextPageToken)
}

type Fields = Readonly<Record<string, unknown>>

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw new ForeignAnswerError()
  }
}

const toFields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? { ...value } : {})

function toEntries(list: unknown): readonly Fields[] {
  if (!Array.isArray(list)) throw new ForeignAnswerError()
  return list.map(toFields)
}

const toPage = (items: readonly ListedModel[], next: unknown): ModelPage =>
  typeof next === 'string' && next !== '' ? { items, next } : { items }

const readEntry = ({ id, display_name: name, max_input_tokens: window }: Fields) =>
  toListedModel(id, name, window)

function readGoogleEntry({
  name,
  displayName,
  inputTokenLimit,
  supportedGenerationMethods: methods,
}: Fields) {
  const canChat = !Array.isArray(methods) || methods.includes('generateContent')
  if (typeof name !== 'string' || !canChat) return []
  return toListedModel(name.replace(/^models\//, ''), displayName, inputTokenLimit)
}

function toListedModel(id: unknown, name: unknown, window: unknown): readonly ListedModel[] {
  if (!isPlain(id)) return []
  return [
    { id, ...(isPlain(name) && { name }), ...(typeof window === 'number' && { contextWindow: window }) },
  ]
}

/** Text of one line that cannot steer a terminal. */
const isPlain = (text: unknown): text is string =>
  typeof text === 'string' && text !== '' && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text)

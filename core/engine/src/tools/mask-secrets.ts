import type { ModelEvent, ModelPort } from '../ports/model.ts'

/** A value that must not be shown, with the name under which the person stores it. */
export interface Secret {
  readonly name: string
  readonly value: string
  /** The same value in other encodings: base64, percent-encoded, escaped. */
  readonly otherForms?: readonly string[]
}

/** Replaces each secret value by its name. Overlapping values are replaced as one. */
export function maskSecrets(text: string, secrets: readonly Secret[]): string {
  const { forms, root } = getForms(secrets)
  if (!forms.some((form) => text.includes(form))) return text
  const stream = createStream(root)
  return stream.push(text) + stream.end()
}

/** Masks with the secrets at the time of each call. */
export const createMask =
  ({ secrets }: { readonly secrets?: () => readonly Secret[] }) =>
  (text: string): string =>
    secrets ? maskSecrets(text, secrets()) : text

/** Masks a text that comes in chunks. */
export interface MaskedStream {
  /** The text that can be shown now. Only a possible beginning of a secret is delayed. */
  push(chunk: string): string
  /** The rest. The stream can then be reused. */
  end(): string
  /** The same for an incomplete text: most of a secret at its end is masked as the secret. */
  breakOff(): string
}

/** Its joined output equals `maskSecrets` of the whole text, for any chunks. */
export const createMaskedStream = (secrets: readonly Secret[]): MaskedStream =>
  createStream(getForms(secrets).root)

/** The value with every text masked; the same object if nothing is masked. */
export function maskValue<Value>(value: Value, mask: (text: string) => string): Value {
  return maskAny(value, mask) as Value
}

function maskAny(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value)
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  const entries = Object.entries(value).map(([key, inner]) => [mask(key), maskAny(inner, mask)] as const)
  if (entries.every(([key, inner]) => Object.is(inner, (value as Record<string, unknown>)[key]))) return value
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}

/** A secret in the held text, or several that overlap; `form` is the longest of them. */
interface FormMatch {
  readonly start: number
  readonly end: number
  readonly form: SecretForm
}

interface SecretForm {
  readonly name: string
  readonly length: number
}

function createStream(root: FormNode): MaskedStream {
  let held = ''
  /** In order, without overlaps. */
  let matches: FormMatch[] = []
  /** Where the first form begins that more text may complete. */
  let open = 0

  const add = (added: FormMatch) => {
    let match = added
    for (let last = matches.at(-1); last && last.end > match.start; last = matches.at(-1)) {
      matches.pop()
      const form = last.form.length >= match.form.length ? last.form : match.form
      match = { start: Math.min(last.start, match.start), end: Math.max(last.end, match.end), form }
    }
    matches.push(match)
  }

  /** Finds the forms that begin at `open` or later. */
  const scan = () => {
    const from = open
    open = held.length
    if (matches.length > 0) matches = matches.filter(({ start }) => start < from)
    for (let start = from; start < held.length; start += 1) {
      let end = start
      let node = root.next.get(held.charCodeAt(end))
      for (; node; node = node.next.get(held.charCodeAt(end))) {
        end += 1
        if (node.form) add({ start, end, form: node.form })
        if (end < held.length) continue
        if (node.next.size > 0) open = Math.min(open, start)
        break
      }
    }
  }

  /** Returns the first `length` held characters. */
  const release = (length: number): string => {
    let shown = ''
    let from = 0
    for (const { start, end, form } of matches) {
      if (end > length) break
      shown += `${held.slice(from, start)}[secret ${form.name}]`
      from = end
    }
    shown += held.slice(from, length)
    held = held.slice(length)
    open -= length
    if (matches.length === 0) return shown
    matches = matches.flatMap(({ start, end, form }) =>
      end > length ? [{ start: start - length, end: end - length, form }] : [],
    )
    return shown
  }

  const releaseAll = (): string => {
    open = held.length
    return release(held.length)
  }

  /** The longest end of the text that is at least half of a form, and too long to be chance. */
  const findBegunForm = (): FormMatch | undefined => {
    const end = held.length
    for (let start = open; end - start >= SHORTEST; start += 1) {
      const begun = findNode(root, held.slice(start))?.begins
      const length = end - start
      if (begun && length * 2 >= begun.length) return { start, end, form: { name: begun.name, length } }
    }
    return undefined
  }

  return {
    push(chunk) {
      if (root.next.size === 0) return chunk
      held += chunk
      scan()
      let safe = open
      // A match is extended by matches that begin within it.
      for (const { start, end } of matches.toReversed()) if (end > safe) safe = Math.min(safe, start)
      return release(safe)
    },
    end: releaseAll,
    breakOff() {
      const begun = findBegunForm()
      if (begun) add(begun)
      return releaseAll()
    },
  }
}

/** A beginning of forms, in a tree of their UTF-16 units. */
interface FormNode {
  readonly next: Map<number, FormNode>
  /** The form that ends here. */
  form?: SecretForm
  /** The shortest form that continues from here. */
  begins?: SecretForm
}

interface SecretForms {
  readonly forms: readonly string[]
  readonly root: FormNode
}

/** The forms of each list that is still in use. */
const formsByList = new WeakMap<readonly Secret[], SecretForms>()

function getForms(secrets: readonly Secret[]): SecretForms {
  const forms = formsByList.get(secrets) ?? createForms(secrets)
  formsByList.set(secrets, forms)
  return forms
}

/** Shorter values would match everywhere. */
const SHORTEST = 6

function createForms(secrets: readonly Secret[]): SecretForms {
  const root: FormNode = { next: new Map() }
  const forms: string[] = []
  for (const { name, value, otherForms = [] } of secrets) {
    for (const form of [value, ...otherForms]) {
      if (form.length < SHORTEST) continue
      forms.push(form)
      addForm(root, form, { name, length: form.length })
    }
  }
  return { forms, root }
}

function addForm(root: FormNode, text: string, form: SecretForm): void {
  let node = root
  for (let index = 0; index < text.length; index += 1) {
    if (form.length < (node.begins?.length ?? Infinity)) node.begins = form
    const unit = text.charCodeAt(index)
    const next = node.next.get(unit) ?? { next: new Map() }
    node.next.set(unit, next)
    node = next
  }
  node.form ??= form
}

function findNode(root: FormNode, text: string): FormNode | undefined {
  let node: FormNode | undefined = root
  for (let index = 0; node && index < text.length; index += 1) node = node.next.get(text.charCodeAt(index))
  return node
}

/**
 * Masks secrets in both directions: the model receives none, not even in text older than the secret, and its text,
 * reasoning, calls and failures contain none. The list of secrets is read when a step begins.
 */
export const maskModel = (model: ModelPort, secretsNow: () => readonly Secret[]): ModelPort => ({
  ...model,
  async *stream({ system, messages, ...request }, signal) {
    const secrets = secretsNow()
    const mask = (text: string) => maskSecrets(text, secrets)
    const masked = { ...request, system: mask(system), messages: maskValue(messages, mask) }
    const output = createMaskedStream(secrets)
    let part: 'text' | 'reasoning' | undefined
    /** The text of the current part, and what is shown of it. */
    let original = ''
    let shown = ''

    const show = (text: string): readonly ModelEvent[] => {
      shown += text
      return part && text !== '' ? [{ type: part, text }] : []
    }

    const endPart = (): readonly ModelEvent[] => show(output.end())
    const breakOff = (): readonly ModelEvent[] => show(output.breakOff())

    for await (const event of model.stream(masked, signal)) {
      switch (event.type) {
        case 'text':
        case 'reasoning':
          if (part !== event.type) {
            yield* endPart()
            part = event.type
            original = ''
            shown = ''
          }
          original += event.text
          if (event.text === '') yield event
          else yield* show(output.push(event.text))
          break
        case 'signature':
          yield* endPart()
          // A signature does not match masked text: it ends the part but is dropped.
          yield shown === original ? event : { ...event, signature: { ...event.signature, data: null } }
          part = undefined
          break
        case 'tool_call': {
          const call = maskValue(event.call, mask)
          yield call === event.call ? event : { type: 'tool_call', call }
          break
        }
        case 'finish':
        case 'retry':
        case 'failure':
          yield* event.type === 'finish' && event.reason === 'completed' ? endPart() : breakOff()
          yield maskValue(event, mask)
          break
        default:
          event satisfies never
      }
    }
    yield* breakOff()
  },
})

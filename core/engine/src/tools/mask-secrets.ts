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
  const matcher = getMatcher(secrets)
  if (!matcher.forms.some((form) => text.includes(form))) return text
  const stream = createStream(matcher)
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
  createStream(getMatcher(secrets))

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

/** A secret's range in the held text. */
interface FormMatch {
  readonly start: number
  readonly end: number
  readonly form: SecretForm
}

interface SecretForm {
  readonly name: string
  readonly length: number
}

function createStream({ root }: Matcher): MaskedStream {
  let held = ''
  let state = root
  /** In order, without overlaps. */
  let matches: FormMatch[] = []

  const add = (end: number, form: SecretForm) => {
    let match: FormMatch = { start: end - form.length, end, form }
    for (let last = matches.at(-1); last && last.end > match.start; last = matches.at(-1)) {
      matches.pop()
      const longest = last.form.length >= match.form.length ? last.form : match.form
      match = { start: Math.min(last.start, match.start), end, form: longest }
    }
    matches.push(match)
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
    matches = matches.flatMap(({ start, end, form }) =>
      end > length ? [{ start: start - length, end: end - length, form }] : [],
    )
    return shown
  }

  const releaseAll = (): string => {
    state = root
    return release(held.length)
  }

  return {
    push(chunk) {
      if (root.next.size === 0) return chunk
      const before = held.length
      held += chunk
      for (let index = before; index < held.length; index += 1) {
        state = advanceState(state, held.charCodeAt(index), root)
        if (state.match) add(index + 1, state.match)
      }
      let safe = held.length - state.open
      // A match is extended by matches that begin within it.
      for (const { start, end } of matches.toReversed()) if (end > safe) safe = Math.min(safe, start)
      return release(safe)
    },
    end: releaseAll,
    breakOff() {
      const begun = findBegunForm(state)
      if (begun) add(held.length, begun)
      return releaseAll()
    },
  }
}

/** A state of the Aho-Corasick automaton: the longest suffix of the text that begins a form. */
interface MatcherState {
  /** The length of the longest suffix that more text may complete. */
  open: number
  readonly next: Map<number, MatcherState>
  /** The state of the next shorter suffix. */
  fallback: MatcherState | undefined
  /** The longest form that ends here. */
  match: SecretForm | undefined
  /** The shortest form that continues from here. */
  beginsForm: SecretForm | undefined
}

interface Matcher {
  readonly forms: readonly string[]
  readonly root: MatcherState
}

/** One automaton per list that is still in use. */
const matchers = new WeakMap<readonly Secret[], Matcher>()

function getMatcher(secrets: readonly Secret[]): Matcher {
  const before = matchers.get(secrets)
  if (before) return before
  const matcher = createMatcher(secrets)
  matchers.set(secrets, matcher)
  return matcher
}

/** Shorter values would match everywhere. */
const SHORTEST = 6

function createMatcher(secrets: readonly Secret[]): Matcher {
  const root = createState()
  const forms: string[] = []
  for (const { name, value, otherForms = [] } of secrets) {
    for (const form of [value, ...otherForms]) {
      if (form.length < SHORTEST) continue
      forms.push(form)
      let state = root
      for (let index = 0; index < form.length; index += 1) {
        if (form.length < (state.beginsForm?.length ?? Infinity))
          state.beginsForm = { name, length: form.length }
        const code = form.charCodeAt(index)
        const next = state.next.get(code) ?? createState()
        state.next.set(code, next)
        state = next
      }
      state.match ??= { name, length: form.length }
    }
  }
  linkFallbacks(root)
  return { forms, root }
}

const createState = (): MatcherState => ({
  open: 0,
  next: new Map(),
  fallback: undefined,
  match: undefined,
  beginsForm: undefined,
})

/** The longest suffix of the text that is at least half of a form, and too long to be chance. */
function findBegunForm(from: MatcherState): SecretForm | undefined {
  for (let state: MatcherState | undefined = from; state; state = state.fallback) {
    const { open, beginsForm } = state
    if (beginsForm && open >= SHORTEST && open * 2 >= beginsForm.length)
      return { name: beginsForm.name, length: open }
  }
  return undefined
}

/** Level by level, since a fallback is always shallower. */
function linkFallbacks(root: MatcherState) {
  let level = [root]
  for (let depth = 1; level.length > 0; depth += 1) {
    const deeper: MatcherState[] = []
    for (const state of level) {
      for (const [code, next] of state.next) {
        next.fallback = state === root ? root : advanceState(state.fallback ?? root, code, root)
        next.match ??= next.fallback.match
        next.open = next.next.size > 0 ? depth : next.fallback.open
        deeper.push(next)
      }
    }
    level = deeper
  }
}

function advanceState(from: MatcherState, code: number, root: MatcherState): MatcherState {
  for (let state: MatcherState | undefined = from; state; state = state.fallback) {
    const next = state.next.get(code)
    if (next) return next
  }
  return root
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
    const spoken = createMaskedStream(secrets)
    let part: 'text' | 'reasoning' | undefined
    /** The current part, and its visible text. */
    let original = ''
    let shown = ''

    const show = (text: string): readonly ModelEvent[] => {
      shown += text
      return part && text !== '' ? [{ type: part, text }] : []
    }

    const endPart = (): readonly ModelEvent[] => show(spoken.end())
    const breakOff = (): readonly ModelEvent[] => show(spoken.breakOff())

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
          else yield* show(spoken.push(event.text))
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

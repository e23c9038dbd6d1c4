/** A value that must not be shown, by the name under which the person keeps it. */
export interface Secret {
  readonly name: string
  readonly value: string
  /** The same value as it may be written elsewhere: base64, percent-encoded, escaped. */
  readonly otherForms?: readonly string[]
}

/** Puts a secret's name in place of its value, wherever it stands. */
export function maskSecrets(text: string, secrets: readonly Secret[]): string {
  let masked = text
  for (const { form, name } of longestFirst(secrets)) {
    if (masked.includes(form)) masked = masked.replaceAll(form, `[secret ${name}]`)
  }
  return masked
}

/** The same value with every text in it masked; the very same where nothing is. */
export function maskIn<Value>(value: Value, mask: (text: string) => string): Value {
  return maskAny(value, mask) as Value
}

function maskAny(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value)
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  const entries = Object.entries(value).map(([key, inner]) => [mask(key), maskAny(inner, mask)] as const)
  if (entries.every(([key, inner]) => Object.is(inner, (value as Record<string, unknown>)[key]))) return value
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}

interface Form {
  readonly name: string
  readonly form: string
}

/** Of each list that is still in use. */
const known = new WeakMap<readonly Secret[], readonly Form[]>()

/** A value may stand within another one. */
function longestFirst(secrets: readonly Secret[]): readonly Form[] {
  const before = known.get(secrets)
  if (before) return before
  const forms = secrets
    .flatMap(({ name, value, otherForms = [] }) => [value, ...otherForms].map((form) => ({ name, form })))
    .filter(({ form }) => form.length >= SHORTEST)
    .toSorted((a, b) => b.form.length - a.form.length)
  known.set(secrets, forms)
  return forms
}

/** Shorter ones would stand everywhere. */
const SHORTEST = 6

import type { Json } from '@parley/contracts'
import { asText, fillVariables, namesIn, PLACEHOLDER, valueOf, type Variables } from './variables.ts'

export type Address =
  | { readonly kind: 'address'; readonly url: URL }
  | { readonly kind: 'unfit'; readonly why: string }

export interface AddressParts {
  /** What stands for `{name}` in the path. */
  readonly path: Readonly<Record<string, Json>>
  readonly variables: Variables
  readonly isFromClient: (name: string) => boolean
  /** The request carries what is for the configured server alone. */
  readonly hasSecrets: boolean
}

/** Where a request goes. Nothing that is filled in can lead it away from the server that the template names. */
export function addressOf(template: string, parts: AddressParts): Address {
  const { variables, path } = parts
  const [origin = '', host] = ORIGIN.exec(template) ?? []
  if (origin === '') return unfit('the address is not an http or https one')
  const filled = host === undefined ? wholeOrigin(origin, parts) : originWith(host, origin, parts)
  if (filled.kind === 'unfit') return filled
  const rest = fillVariables(template.slice(origin.length), variables, segment)
  const [missing] = namesIn(rest)
  if (missing !== undefined) return needs(missing)
  const url = URL.parse(filled.text + withPath(rest, path))
  if (!url || url.origin !== URL.parse(filled.text)?.origin)
    return unfit('the address is not an http or https one')
  return { kind: 'address', url }
}

/** A fixed scheme and what names the host; or one variable for both. */
const ORIGIN = /^(?:https?:\/\/([^/?#\\]*)|\{\{[^{}]*\}\}(?=[/?#]|$))/i

type Filled = { readonly kind: 'filled'; readonly text: string } | Extract<Address, { kind: 'unfit' }>

const unfit = (why: string): Extract<Address, { kind: 'unfit' }> => ({ kind: 'unfit', why })
const needs = (name: string) => unfit(`the address needs the variable ${name}`)
const chosenByClient = (name: string) =>
  unfit(
    `the client chose the server by the variable ${name}, and the tool’s secrets are not for every server`,
  )

const WHOLE_ORIGIN = /^https?:\/\/[a-z0-9.-]+(:\d{1,5})?(\/[\w./~-]*)?$/i

function wholeOrigin(origin: string, { variables, isFromClient, hasSecrets }: AddressParts): Filled {
  const [name = ''] = namesIn(origin)
  const value = valueOf(name, variables)
  if (value === undefined) return needs(name)
  if (hasSecrets && isFromClient(name)) return chosenByClient(name)
  const text = asText(value)
  return WHOLE_ORIGIN.test(text)
    ? { kind: 'filled', text: text.replace(/\/$/, '') }
    : unfit(`the variable ${name} is not an http or https address`)
}

const HOST_PART = /^[a-z0-9.-]+$/i
const PORT = /^\d{1,5}$/
/** A domain that stays as it is written, whatever comes before it. */
const FIXED_DOMAIN = /\.[^.:]+\.[^.:]+(:\d*)?$/

function originWith(host: string, origin: string, parts: AddressParts): Filled {
  for (const { 0: written, 1: name = '', index } of host.matchAll(PLACEHOLDER)) {
    const value = valueOf(name, parts.variables)
    if (value === undefined) return needs(name)
    const isPort = host[index - 1] === ':'
    if (!(isPort ? PORT : HOST_PART).test(asText(value)))
      return unfit(`the variable ${name} is no part of a host’s name`)
    const after = host.slice(index + written.length)
    const isHeld = isPort || FIXED_DOMAIN.test(after.slice(after.lastIndexOf('}') + 1))
    if (parts.hasSecrets && parts.isFromClient(name) && !isHeld) return chosenByClient(name)
  }
  const text = fillVariables(origin, parts.variables)
  return keepsItsHost(origin, text) ? { kind: 'filled', text } : unfit('the address names no host')
}

/** Whether the fixed parts of a host stand where the template has them. */
function keepsItsHost(template: string, filled: string): boolean {
  const standIn = 'parley-stands-in'
  const meant = URL.parse(template.replace(/:\{\{[^{}]*\}\}/g, '').replace(PLACEHOLDER, standIn))
  const url = URL.parse(filled)
  if (!meant || !url) return false
  const fixed = meant.hostname.split(standIn)
  return url.hostname.startsWith(fixed[0] ?? '') && url.hostname.endsWith(fixed.at(-1) ?? '')
}

const withPath = (rest: string, path: Readonly<Record<string, Json>>): string =>
  rest.replace(/\{([\w.-]+)\}/g, (written, name: string) =>
    Object.hasOwn(path, name) ? segment(asText(path[name] ?? '')) : written,
  )

/** One segment of a path or query: dots alone would climb out of it. */
const segment = (value: string): string =>
  /^\.{1,2}$/.test(value) ? value.replaceAll('.', '%252E') : encodeURIComponent(value.toWellFormed())

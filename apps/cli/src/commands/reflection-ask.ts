import { z } from 'zod'
import type { ApiClient } from '@parley/api-client'
import { type EvidenceItem, type Place, type Reflection, listPublishedNamespaces } from '@parley/contracts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { connectToReflection } from '../reflection/find-reflection.ts'
import { isImporting } from '../reflection/source-progress.ts'
import { formatLocalTime, printMessage } from '../render/output.ts'
import type { Display } from '../render/display.ts'
import { formatCount, sanitise, toInlineText, wrapWords } from '../render/text.ts'
import { shortenId } from '../session/find-session.ts'
import { type CommandCall, createCountOption, parseOptions, printJson } from './command.ts'

const AskOptions = z.object({
  public: z.boolean().default(false),
  namespace: z.array(z.string()).optional(),
  limit: createCountOption(50, 8),
})

export async function askReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { namespace: namespaces, limit, public: isPublic } = parseOptions(AskOptions, call.options)
  const { client, display, reflection, reflectionId } = await connectToReflection(call)
  const result = await client.reflections.ask({
    reflectionId,
    query: positionals.slice(1).join(' '),
    limit,
    audience: isPublic ? 'public' : 'private',
    ...(namespaces && { namespaces }),
  })
  if (json) return printJson(io, result)
  const { evidence, partial, tookMs } = result
  for (const [index, item] of evidence.entries()) io.stdout.write(renderEvidence(item, index + 1, display))
  const count = evidence.length === 0 ? 'No results' : formatCount(evidence.length, 'result')
  const time = tookMs === undefined ? '' : ` in ${tookMs} ms`
  const scope = isPublic ? ', public folders only' : ''
  printMessage(io.stdout, `${count}${time}${scope}${partial ? '; the search ran out of time' : ''}.`)
  if (evidence.length > 0) return EXIT.done
  const reason = await findEmptyReason(client, reflection, isPublic)
  if (reason !== undefined) printMessage(io.stdout, reason)
  return EXIT.done
}

async function findEmptyReason(
  client: ApiClient,
  { id: reflectionId, namespaces }: Reflection,
  isPublic: boolean,
): Promise<string | undefined> {
  const id = shortenId(reflectionId)
  if (isPublic && listPublishedNamespaces({ namespaces }).length === 0) {
    return `It has no public folders: parley reflections publish ${id} FOLDER`
  }
  const { items } = await client.reflections.sources({ reflectionId, limit: 200 })
  if (items.length === 0) return `It has no sources yet: parley reflections add ${id} FILE`
  const waiting = items.filter(isImporting).length
  return waiting === 0
    ? undefined
    : `${formatCount(waiting, 'source')} still importing: parley reflections sources ${id}`
}

const INDENT = '    '

function renderEvidence(item: EvidenceItem, number: number, { style, columns }: Display): string {
  const { kind, text, source, place, namespace, score } = item
  const where = [source.title, formatSourcePosition(place), `[${namespace}]`].filter(Boolean).join(' · ')
  const head = `${style.bold(`${number}`.padStart(2))}  ${toInlineText(where)} ${style.dim(`${kind} ${score.toFixed(4)}`)}`
  const body = wrapWords(sanitise(text).trim(), Math.max(20, columns - INDENT.length))
  return `${head}\n${INDENT}${body.replaceAll('\n', `\n${INDENT}`)}\n\n`
}

export function formatSourcePosition({ page, line, heading, speaker, offset, date }: Place): string {
  return [
    heading && `“${heading}”`,
    page !== undefined && `page ${page}`,
    line !== undefined && page === undefined && `line ${line}`,
    speaker,
    offset,
    date && formatDate(date),
  ]
    .filter(Boolean)
    .join(', ')
}

/** An exact time is shown in local time, any other as written in the source. */
const formatDate = (date: string): string =>
  /T.*(Z|[+-]\d\d:\d\d)$/.test(date) ? formatLocalTime(date) : date.replace('T', ' ').slice(0, TO_THE_MINUTE)

const TO_THE_MINUTE = '2022-08-19 18:40'.length

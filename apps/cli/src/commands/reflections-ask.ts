import type { EvidenceItem } from '@parley/contracts'
import { z } from 'zod'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { placeText } from '../reflection/place-text.ts'
import { jsonLine } from '../render/json-line.ts'
import { neutralise } from '../render/neutralise.ts'
import type { ScreenLook } from '../render/screen-of.ts'
import { tell } from '../render/tell.ts'
import { wrapWords } from '../render/wrap-words.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const A_COUNT = 'must be a whole number from 1 to 50'
const AskOptions = z.object({
  namespace: z.array(z.string()).optional(),
  limit: z
    .string()
    .regex(/^\d+$/, A_COUNT)
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= 50, A_COUNT)
    .default(8),
})

/** Shows what a reflection's sources say about a question, with scores and how long it took. */
export async function askReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { namespace: namespaces, limit } = parseOptions(AskOptions, call.options)
  const { client, screen, config } = await atServer(call)
  const [given = '', ...words] = positionals
  const { id: reflectionId } = await findReflection(client, given, config)
  const query = words.join(' ')
  const found = await client.reflections.ask({
    reflectionId,
    query,
    limit,
    ...(namespaces && { namespaces }),
  })
  if (json) {
    io.stdout.write(jsonLine(found))
    return EXIT.done
  }
  const { evidence, partial, tookMs } = found
  for (const [index, item] of evidence.entries()) io.stdout.write(evidenceText(item, index + 1, screen))
  const count = evidence.length === 0 ? 'Nothing was found' : `${evidence.length} found`
  const time = tookMs === undefined ? '' : ` in ${tookMs} ms`
  tell(io.stdout, `${count}${time}${partial ? '; the time was up before all was looked through' : ''}.`)
  return EXIT.done
}

const INDENT = '    '

function evidenceText(item: EvidenceItem, number: number, { style, columns }: ScreenLook): string {
  const { kind, text, source, place, namespace, score } = item
  const where = [source.title, placeText(place), `[${namespace}]`].filter(Boolean).join(' · ')
  const head = `${style.bold(`${number}`.padStart(2))}  ${inLine(where)} ${style.dim(`${kind} ${score.toFixed(4)}`)}`
  const body = wrapWords(neutralise(text).trim(), Math.max(20, columns - INDENT.length))
  return `${head}\n${INDENT}${body.replaceAll('\n', `\n${INDENT}`)}\n\n`
}

const inLine = (text: string): string => neutralise(text).replace(/\s+/g, ' ')
